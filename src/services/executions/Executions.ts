import { Clock, Context, Effect, Layer, type Scope, Stream } from "effect"
import { Conflict } from "../../errors/Conflict.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { QueueFull } from "../../errors/QueueFull.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { ArchiveId } from "../archives/Archive.ts"
import { Archives } from "../archives/Archives.ts"
import { Audit } from "../audit/Audit.ts"
import { FlowlineStore } from "../flowlines/FlowlineStore.ts"
import { Flowlines, type VersionWithValues } from "../flowlines/Flowlines.ts"
import { type StartedExecution, Starter } from "../flowlines/Starter.ts"
import { LimitRefusals } from "../limits/LimitRefusals.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { Gateway } from "../runs/Gateway.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import { type Commit, unkeyed } from "../shared/idempotency/Commit.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import { type FollowEvent, followedPage, type StoredLine } from "../shared/reads/OutputLines.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { type ExecutionDetail, ExecutionId, hasEnded } from "./Execution.ts"
import {
  type ExecutionFilter,
  type ExecutionKey,
  ExecutionStore,
  type Origin,
  type OutputState
} from "./ExecutionStore.ts"
import { Launcher } from "./Launcher.ts"
import { runtimeOf } from "./StoredFlowline.ts"
import { keyOf, Supervisor } from "./Supervisor.ts"

type FollowedOutput = FollowEvent<OutputState>

/** Starts, cancels, lists and follows executions. */
export class Executions extends Context.Service<
  Executions,
  Starter["Service"] & {
    /** Fails when as many executions of the tenant are waiting as may. */
    readonly admit: (tenant: TenantId) => Effect.Effect<void, QueueFull | StorageUnreachable>
    /** Starts an execution of the flowline that `flowline` stores, both in one commit. `action` is for the audit. */
    readonly start: (
      tenant: TenantId,
      action: string,
      flowline: Effect.Effect<VersionWithValues, StorageUnreachable>,
      commit?: Commit<StartedExecution>,
      origin?: Origin
    ) => Effect.Effect<StartedExecution, Conflict | QueueFull | StorageUnreachable>
    /** Runs the same version of the flowline again, with what started the execution: its parameters, file and body. */
    readonly again: (
      tenant: TenantId,
      id: ExecutionId,
      commit?: Commit<StartedExecution>
    ) => Effect.Effect<StartedExecution, NotFound | Conflict | QueueFull | StorageUnreachable>
    /** Requests the end of an execution. Its state becomes `CANCELLED` when its run has ended. */
    readonly cancel: (
      tenant: TenantId,
      flowlineId: FlowlineId,
      id: ExecutionId
    ) => Effect.Effect<void, NotFound | Conflict | StorageUnreachable>
    /** Deletes an ended execution with its events and output. Its archive stays. */
    readonly remove: (
      tenant: TenantId,
      id: ExecutionId
    ) => Effect.Effect<void, NotFound | Conflict | StorageUnreachable>
    readonly detail: (
      tenant: TenantId,
      flowlineId: FlowlineId,
      id: ExecutionId
    ) => Effect.Effect<ExecutionDetail, NotFound | StorageUnreachable>
    readonly list: (
      tenant: TenantId,
      filter: ExecutionFilter,
      span: ListSpan
    ) => Stream.Stream<ListRow, StorageUnreachable>
    readonly listOf: (
      tenant: TenantId,
      flowlineId: FlowlineId,
      filter: ExecutionFilter
    ) => Effect.Effect<(span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>, NotFound | StorageUnreachable>
    readonly events: (
      tenant: TenantId,
      id: ExecutionId
    ) => Effect.Effect<(span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>, NotFound | StorageUnreachable>
    /** The state of the output, and a function that reads its lines after a sequence number. */
    readonly output: (
      tenant: TenantId,
      id: ExecutionId
    ) => Effect.Effect<
      OutputState & { readonly lines: (after: number) => Stream.Stream<StoredLine, StorageUnreachable> },
      NotFound | StorageUnreachable
    >
    /**
     * The output lines after a sequence number until the end of the execution: stored lines first, then new ones. No line
     * is lost or repeated.
     */
    readonly follow: (
      tenant: TenantId,
      id: ExecutionId,
      after: number
    ) => Effect.Effect<Stream.Stream<FollowedOutput, StorageUnreachable>, NotFound | StorageUnreachable, Scope.Scope>
    /** The events after a sequence number until the end of the execution, oldest first. */
    readonly followEvents: (
      tenant: TenantId,
      id: ExecutionId,
      after: number
    ) => Effect.Effect<Stream.Stream<FollowedOutput, StorageUnreachable>, NotFound | StorageUnreachable, Scope.Scope>
  }
>()("flow/executions/Executions") {
  static readonly layer = Layer.effect(
    Executions,
    Effect.gen(function* () {
      const store = yield* ExecutionStore
      const flowlines = yield* Flowlines
      const flowlineStore = yield* FlowlineStore
      const supervisor = yield* Supervisor
      const launcher = yield* Launcher
      const archives = yield* Archives
      const gateway = yield* Gateway
      const audit = yield* Audit
      const rules = yield* TenantRules
      const refusals = yield* LimitRefusals

      const full = (tenant: TenantId, value: number) =>
        refusals.refused(
          tenant,
          new QueueFull({ limit: "waitingExecutions", value, used: value + 1, key: `tenant:${tenant}`, tenant })
        )

      const admit = Effect.fn("Executions.admit")(function* (tenant: TenantId) {
        const most = rules.limitsOf(tenant).waitingExecutions.value
        if (most !== undefined && (yield* store.pending(tenant, most)) >= most) return yield* full(tenant, most)
      })

      const start: Executions["Service"]["start"] = Effect.fn("Executions.start")(function* (
        tenant,
        action,
        flowline,
        commit = unkeyed,
        origin = {}
      ) {
        const now = yield* Clock.currentTimeMillis
        const most = rules.limitsOf(tenant).waitingExecutions.value
        const created = Effect.gen(function* () {
          const { id: flowlineId, version, dag, kept } = yield* flowline
          const execution = { tenant, flowlineId, version, runtime: runtimeOf(dag), dag, kept, ...origin }
          const { id } = yield* store.create(execution, gateway.id, now, most).pipe(
            // Other requests have taken the last places since this one was admitted.
            Effect.catchTag("NoRoom", () => full(tenant, most ?? 0))
          )
          return { id, flowlineId, after: yield* hexDigest(dag) }
        })
        const audited = audit.change(tenant, created, ({ id, after }) => ({ action, target: id, after }))
        const started = yield* commit(audited)
        // The execution is stored: if the cluster cannot be told now, the recovery of executions tells it.
        yield* Effect.ignore(launcher.launch({ tenant, id: ExecutionId(started.id) }))
        return started
      })

      const stateOf = Effect.fn("Executions.state")(function* (key: ExecutionKey) {
        const state = yield* store.state(key)
        return state ?? (yield* new NotFound({ kind: "execution", ...key }))
      })

      const detail = Effect.fn("Executions.detail")(function* (
        tenant: TenantId,
        flowlineId: FlowlineId,
        id: ExecutionId
      ) {
        const found = yield* store.detail({ tenant, id })
        if (found?.flowlineId !== flowlineId) return yield* new NotFound({ kind: "execution", tenant, id })
        const archive = yield* archives.get(tenant, ArchiveId(id)).pipe(
          Effect.map((archive) => archive.id),
          Effect.catchTag("NotFound", () => Effect.succeed(null))
        )
        return { ...found, archive }
      })

      /** The events after a sequence number, oldest first. An execution has at most two. */
      const eventsAfter = (key: ExecutionKey, after: number) =>
        Effect.map(Stream.runCollect(store.events(key, { after: undefined, limit: undefined })), (rows) =>
          rows
            .map(({ json }) => ({ seq: (JSON.parse(json) as { readonly seq: number }).seq, text: "", json }))
            .filter(({ seq }) => seq > after)
            .sort((a, b) => a.seq - b.seq)
        )
      const linesAfter = (key: ExecutionKey, after: number) => store.linesAfter(key, after, followedPage)

      const follow = Effect.fn("Executions.follow")(function* (
        read: (key: ExecutionKey, after: number) => Effect.Effect<ReadonlyArray<StoredLine>, StorageUnreachable>,
        tenant: TenantId,
        id: ExecutionId,
        after: number
      ) {
        const key = { tenant, id }
        const wait = yield* supervisor.signals.listen(keyOf(key))
        yield* stateOf(key)
        let last = after
        let ended = false
        // The state is read before the lines: after the end no line is added.
        const next = Effect.gen(function* () {
          const output = yield* stateOf(key)
          const lines = yield* read(key, last)
          last = lines.at(-1)?.seq ?? last
          if (lines.length > 0) return { _tag: "Lines", lines } satisfies FollowedOutput
          if (hasEnded(output.state)) {
            ended = true
            return { _tag: "End", output } satisfies FollowedOutput
          }
          yield* wait
          return { _tag: "Quiet" } satisfies FollowedOutput
        })
        return Stream.unfold(0, () =>
          Effect.suspend(() => (ended ? Effect.undefined : Effect.map(next, (followed) => [followed, 0] as const)))
        ).pipe(Stream.catchTag("NotFound", () => Stream.empty))
      })

      return Executions.of({
        admit,
        start,
        execute: Effect.fn("Executions.execute")(function* (tenant, flowlineId, version, commit, given = {}) {
          const saved = yield* flowlines.get(tenant, flowlineId, version)
          yield* admit(tenant)
          const flowline = yield* flowlines.withParameters(tenant, saved, given)
          return yield* start(tenant, "flowlines.execute", Effect.succeed(flowline), commit)
        }),
        executeOnce: Effect.fn("Executions.executeOnce")(function* (tenant, file, commit, given = {}) {
          // Checked before the flowline is stored, so that refused requests leave nothing behind.
          yield* admit(tenant)
          const flowline = yield* flowlines.draft(tenant, file, "once", given)
          return yield* start(tenant, "flowlines.executeOnce", flowline, commit)
        }),
        again: Effect.fn("Executions.again")(function* (tenant, id, commit) {
          const given = yield* store.given({ tenant, id })
          if (given === undefined) return yield* new NotFound({ kind: "execution", tenant, id })
          yield* admit(tenant)
          const { flowlineId, version, dag, kept, trigger, body } = given
          const values = kept === undefined ? {} : { kept }
          const flowline = { id: flowlineId, version, dag, platformId: "", savedAt: "", ...values }
          const origin = { ...(trigger === undefined ? {} : { trigger }), ...(body === undefined ? {} : { body }) }
          return yield* start(tenant, "executions.again", Effect.succeed(flowline), commit, origin)
        }),
        cancel: Effect.fn("Executions.cancel")(function* (tenant, flowlineId, id) {
          yield* detail(tenant, flowlineId, id)
          const state = yield* audit.change(tenant, store.cancel({ tenant, id }), (before) =>
            before === undefined || hasEnded(before) ? undefined : { action: "executions.cancel", target: id }
          )
          if (state !== undefined && hasEnded(state)) {
            return yield* new Conflict({
              state,
              detail: `The execution has ended. DELETE /v1/${tenant}/flowline/executions/${id} deletes it`
            })
          }
          yield* supervisor.stop({ tenant, id })
        }),
        remove: Effect.fn("Executions.remove")(function* (tenant, id) {
          const state = yield* audit.change(tenant, store.remove({ tenant, id }), (before) =>
            before !== undefined && hasEnded(before) ? { action: "executions.remove", target: id } : undefined
          )
          if (state === undefined) return yield* new NotFound({ kind: "execution", tenant, id })
          if (!hasEnded(state)) {
            return yield* new Conflict({ state, detail: "The execution has not ended: cancel it first" })
          }
        }),
        detail,
        list: store.list,
        listOf: Effect.fn("Executions.listOf")(function* (tenant, flowlineId, filter) {
          const rows = (span: ListSpan) => store.list(tenant, { ...filter, flowlineId }, span)
          const first = store.list(tenant, { flowlineId }, { after: undefined, limit: 1 })
          // The executions of a flowline stay when it is deleted.
          const known =
            (yield* flowlineStore.isSaved(tenant, flowlineId)) || (yield* Stream.runCollect(first)).length > 0
          return known ? rows : yield* new NotFound({ kind: "flowline", tenant, id: flowlineId })
        }),
        events: Effect.fn("Executions.events")(function* (tenant, id) {
          yield* stateOf({ tenant, id })
          return (span: ListSpan) => store.events({ tenant, id }, span)
        }),
        output: Effect.fn("Executions.output")(function* (tenant, id) {
          const state = yield* stateOf({ tenant, id })
          return { ...state, lines: (after: number) => store.lines({ tenant, id }, after) }
        }),
        follow: (tenant, id, after) => follow(linesAfter, tenant, id, after),
        followEvents: (tenant, id, after) => follow(eventsAfter, tenant, id, after)
      })
    })
  )

  /** Provides the port by which flowlines start executions. */
  static readonly starter = Layer.effect(Starter, Executions)
}
