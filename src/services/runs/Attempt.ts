import { Clock, Context, Effect, Layer, Result, Schedule, Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { appendedFiles, canRepeat, keepsPositions } from "../../nodes/Catalogue.ts"
import { type Outcome as RunOutcome, outcomeOf as runOutcome } from "../../nodes/flowline/Outcome.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import { lastWrite, lastWriteRetry } from "../../protocol/Liveness.ts"
import { fileText } from "../../protocol/Roots.ts"
import type { NodeCounters, RunMessage, RunSpec } from "../../protocol/RunProtocol.ts"
import { ArchiveId } from "../archives/Archive.ts"
import type { NewArchive } from "../archives/ArchiveStore.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { Engine } from "./Engine.ts"
import { retryWhileDatabaseAway, retryWhileUnreachable } from "./Outage.ts"
import { type FileClaim, holderName, type PositionScope, type Progress } from "./PositionStore.ts"
import { Provision } from "./Provision.ts"

/** The attempt is over, because a newer one exists or the job was stopped. Its writes are refused. */
export class Superseded {
  readonly _tag = "Superseded"
}

/** An output line of a run. */
export interface PrintedLine {
  readonly seq: number
  readonly component: string
  readonly text: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** A write with the attempt's epoch. It returns false and changes nothing if the attempt is over. */
type FencedWrite = Effect.Effect<boolean, StorageUnreachable>

/** The row of an execution or job that this gateway has claimed. */
export interface ClaimedRow {
  /** The name in the log, such as `execution mytenant/4kQz-1763683200000`. */
  readonly name: string
  readonly tenant: TenantId
  readonly epoch: number
  /** The key of the stored positions of the inputs. */
  readonly scope: PositionScope
  /** The `flowlineId` of archives. */
  readonly flowlineId: string
  /** Number of output lines of earlier attempts. */
  readonly lines: number
  /** Milliseconds between confirmations of the claim; absent if the heartbeat of the gateway confirms it. */
  readonly confirmEvery?: number
  /** Confirms the claim. `nodes` are the last counters, if any. */
  readonly confirm: (nodes: ReadonlyArray<NodeCounters> | undefined) => FencedWrite
  readonly started: (jobId: string) => FencedWrite
  readonly output: (lines: ReadonlyArray<PrintedLine>) => FencedWrite
  readonly truncated: FencedWrite
  readonly counters: (nodes: ReadonlyArray<NodeCounters>, flowline: Flowline) => FencedWrite
  readonly progress: (progress: Progress) => FencedWrite
  /** Undefined when the attempt is over. */
  readonly claimFiles: (
    paths: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<FileClaim> | undefined, StorageUnreachable>
  /** Wakes followers in this process. */
  readonly changed: Effect.Effect<void>
}

/** The result of a run. */
export type Outcome =
  /** The write that ends the run must add its `archive`, and keep what its nodes have `carried`. */
  | { readonly _tag: "Succeeded"; readonly archive: NewArchive | undefined; readonly carried?: RunSpec["carried"] }
  /** `error` is a message for the user. */
  | { readonly _tag: "Failed"; readonly error: string }
  /** The run ended itself because its gateway was silent. This is not a failure of the flowline. */
  | { readonly _tag: "Abandoned" }

/** The outcome of a failed run; `error` is a message for the user. */
export const failed = (error: string): Outcome => ({ _tag: "Failed", error })

/** An attempt of this gateway at an execution or job that it has claimed. */
export interface Attempt {
  /** The last counters of the nodes, if any. */
  readonly nodes: () => ReadonlyArray<NodeCounters> | undefined
  /** What the current or last run has done so far; undefined before it has counted anything. */
  readonly outcome: () => RunOutcome | undefined
  /** Prepares the order for the engine, or returns why the flowline cannot run. */
  readonly prepare: <E>(
    flowline: Flowline,
    run: Pick<RunSpec, "executionId" | "lasting" | "work" | "trigger" | "triggerBody" | "carried">,
    positions: Effect.Effect<NonNullable<RunSpec["positions"]>, E>
  ) => Effect.Effect<Result.Result<RunSpec, string>, E>
  /** Runs the flowline, stores its messages and returns its result. No process of the run is left then. */
  readonly run: (spec: RunSpec) => Effect.Effect<Outcome, Superseded | StorageUnreachable>
  /** Adds lines of the gateway to the output. */
  readonly print: (text: string) => Effect.Effect<void, Superseded>
  /** Handles an unreachable storage and defects: `otherwise` gets a message for the user. */
  readonly guarded: <A>(
    work: Effect.Effect<A, Superseded | StorageUnreachable>,
    otherwise: (error: string) => Effect.Effect<A, Superseded>
  ) => Effect.Effect<A, Superseded>
  /**
   * Runs `work` until it ends or the claim is lost, and confirms the claim meanwhile. An interruption makes the write
   * `last`, within a time limit. If that fails, the next claim of the row makes up for it.
   */
  readonly hold: (
    work: Effect.Effect<void, Superseded>,
    last: () => Effect.Effect<unknown, StorageUnreachable>
  ) => Effect.Effect<void>
}

/** Makes a write as soon as the storage responds; fails if the attempt is over. */
export const fenced = (write: FencedWrite): Effect.Effect<void, Superseded> =>
  Effect.flatMap(retryWhileUnreachable(write), (reached) => (reached ? Effect.void : Effect.fail(new Superseded())))

/** Logs a defect for the operators and returns a message for the user. */
export const logDefect =
  (name: string) =>
  (defect: unknown): Effect.Effect<string> =>
    Effect.as(Effect.logError(name, defect), "the gateway could not follow the run")

const outcomeOf = (
  message: Extract<RunMessage, { readonly _tag: "Ended" }>,
  archive: NewArchive | undefined
): Outcome => {
  if (message.outcome === "succeeded") return { _tag: "Succeeded", archive, carried: message.carried }
  if (message.abandoned === true) return { _tag: "Abandoned" }
  const where = message.component === undefined ? "" : `${message.component}: `
  const error = message.error ?? "the run failed"
  return failed(error.startsWith(where) ? error : where + error)
}

/** The attempts of executions and jobs, which differ in what happens before and after a run. */
export class Attempts extends Context.Service<Attempts, { readonly begin: (row: ClaimedRow) => Attempt }>()(
  "flow/runs/Attempts"
) {
  static readonly layer = Layer.effect(
    Attempts,
    Effect.gen(function* () {
      const engine = yield* Engine
      const provision = yield* Provision

      const begin = (row: ClaimedRow): Attempt => {
        const { tenant, epoch, scope } = row
        let seq = row.lines
        let nodes: ReadonlyArray<NodeCounters> | undefined
        let flowline: Flowline | undefined

        const output = (lines: ReadonlyArray<Omit<PrintedLine, "seq">>) =>
          lines.length === 0 ? Effect.void : fenced(row.output(lines.map((line) => ({ seq: ++seq, ...line }))))

        /** Takes over the files that the flowline appends to. Returns why it cannot. */
        const takeFiles = Effect.fnUntraced(function* ({ flowline, roots }: RunSpec) {
          const wanted = appendedFiles(flowline)
          if (wanted.length === 0) return undefined
          const claims = yield* retryWhileUnreachable(row.claimFiles(wanted.map(({ path }) => path)))
          if (claims === undefined) return yield* Effect.fail(new Superseded())
          const files: Record<string, unknown> = {}
          for (const claim of claims) {
            const where = wanted.find(({ path }) => path === claim.path)?.component ?? ""
            if ("holder" in claim) {
              return (
                `${where}: ${holderName(claim.holder)} appends to the file ${fileText(claim.path)}: ` +
                "wait for its end, or choose another file"
              )
            }
            const settled = yield* engine.settle(tenant, claim.path, claim.place, roots)
            if (Result.isFailure(settled)) return `${where}: ${settled.failure}`
            files[claim.path] = canRepeat(flowline) ? settled.success : null
          }
          yield* fenced(row.progress({ positions: {}, files }))
          return undefined
        })

        const write = (spec: RunSpec, message: Exclude<RunMessage, { readonly _tag: "Ended" | "Archived" }>) => {
          switch (message._tag) {
            case "Started":
              return fenced(row.started(message.jobId))
            case "Output":
              return output(message.lines)
            case "Truncated":
              return fenced(row.truncated)
            case "Counters":
              nodes = message.nodes
              return fenced(row.counters(message.nodes, spec.flowline))
            case "Publishing":
              return fenced(row.confirm(nodes))
            case "Positions":
              return fenced(
                row.progress({ positions: message.positions, files: canRepeat(spec.flowline) ? message.files : {} })
              )
            // Only trials send this message, and an attempt is never a trial.
            case "Tried":
              return Effect.void
          }
        }

        const confirming = Effect.suspend(() => row.confirm(nodes)).pipe(
          // During an outage the claim cannot be confirmed, and the run continues: nobody can take it over meanwhile.
          Effect.orElseSucceed(() => true),
          Effect.filterOrFail(
            (goesOn) => goesOn,
            () => new Superseded()
          ),
          Effect.delay(row.confirmEvery ?? 0),
          Effect.forever
        )

        return {
          nodes: () => nodes,
          outcome: () => (flowline === undefined || nodes === undefined ? undefined : runOutcome(flowline, nodes)),
          prepare: Effect.fnUntraced(function* (flowline, run, positions) {
            const provisions = yield* provision.of(tenant, flowline)
            if (Result.isFailure(provisions)) return Result.fail(provisions.failure)
            // What is left of an earlier version of the flowline, whose inputs kept positions, is of no use here.
            const kept = keepsPositions(flowline) ? yield* retryWhileDatabaseAway(positions) : {}
            const { work = run.executionId } = run
            const named = canRepeat(flowline) ? { work, origin: work } : { work }
            return Result.succeed({
              tenant,
              epoch,
              scope,
              flowline,
              ...run,
              ...named,
              ...provisions.success,
              positions: kept
            })
          }),
          run: Effect.fnUntraced(function* (spec) {
            const refusal = yield* takeFiles(spec)
            if (refusal !== undefined) return failed(refusal)
            flowline = spec.flowline
            nodes = undefined
            let outcome = failed("the run said nothing of its end")
            let archive: NewArchive | undefined
            yield* Stream.runForEach(engine.run(spec), (message) => {
              switch (message._tag) {
                case "Archived": {
                  const { sha256, size, entries } = message
                  archive = { id: ArchiveId(spec.executionId), flowlineId: row.flowlineId, sha256, size, entries }
                  return Effect.void
                }
                case "Ended":
                  outcome = outcomeOf(message, archive)
                  return row.changed
                default:
                  return Effect.andThen(write(spec, message), row.changed)
              }
            })
            return outcome
          }),
          print: Effect.fnUntraced(function* (text) {
            const at = yield* Clock.currentTimeMillis
            yield* output(text.split("\n").map((line) => ({ component: "", text: line, at })))
            yield* row.changed
          }),
          guarded: (work, otherwise) =>
            work.pipe(
              Effect.catchTag("StorageUnreachable", ({ storage }) =>
                otherwise(`the ${storage} storage cannot be reached`)
              ),
              Effect.catchDefect((defect) => Effect.flatMap(logDefect(row.name)(defect), otherwise))
            ),
          hold: (work, last) =>
            (row.confirmEvery === undefined ? work : Effect.raceFirst(work, confirming)).pipe(
              Effect.catchTag("Superseded", () => Effect.void),
              Effect.onInterrupt(() =>
                last().pipe(
                  Effect.retry(Schedule.spaced(lastWriteRetry)),
                  Effect.timeoutOption(lastWrite),
                  Effect.ignore
                )
              )
            )
        }
      }

      return Attempts.of({ begin })
    })
  )
}
