import { Clock, Context, Effect, Layer, Result, Schedule, Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { appendedFiles, canRepeat } from "../../nodes/Catalogue.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import { lastWrite, lastWriteRetry, outageRetry } from "../../protocol/Liveness.ts"
import type { NodeCounters, RunMessage, RunSpec } from "../../protocol/RunProtocol.ts"
import { ArchiveId } from "../archives/Archive.ts"
import { Archives } from "../archives/Archives.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { type FileClaim, holderName, type PositionScope, type Progress } from "./PositionStore.ts"
import { Provision } from "./Provision.ts"

/** Runs flowlines, each in a process of its own. */
export class Engine extends Context.Service<
  Engine,
  {
    /**
     * Starts the run and follows it. Ending or interrupting the stream kills the whole process group: TERM, then KILL,
     * and completes only when no process of the group is left. `at` values are epoch milliseconds.
     */
    readonly run: (spec: RunSpec) => Stream.Stream<RunMessage, StorageUnreachable>
    /**
     * Waits until a run that a gateway left behind when it was killed is gone: at most as long as it can outlive that
     * gateway, and not at all when it ran on another host. `jobId` is what it said when it started.
     */
    readonly gone: (jobId: string) => Effect.Effect<void>
    /**
     * Makes a file of the tenant's data area ready to be appended to: cuts what is behind the place, and an incomplete
     * last line. Answers the place of its end, or why nothing can be appended.
     */
    readonly settle: (tenant: TenantId, path: string, place: unknown) => Effect.Effect<Result.Result<unknown, string>>
  }
>()("flow/runs/Engine") {}

/** A newer attempt exists, or this one is to stop: what it still says does not count. */
export class Superseded {
  readonly _tag = "Superseded"
}

/** A line that a run has printed. */
export interface PrintedLine {
  readonly seq: number
  readonly component: string
  readonly text: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** A write with the attempt's epoch. It answers false, and changes nothing, when the attempt is over. */
type FencedWrite = Effect.Effect<boolean, StorageUnreachable>

/** The row of an execution or a job that this gateway has claimed, and with it an epoch. */
export interface ClaimedRow {
  /** For the log: `execution mytenant/4kQz-1763683200000`. */
  readonly name: string
  readonly tenant: TenantId
  readonly epoch: number
  /** What the inputs keep their positions under. */
  readonly scope: PositionScope
  /** What archives name as the flowline that made them. */
  readonly flowlineId: string
  /** Output lines of earlier attempts. */
  readonly lines: number
  /** Milliseconds between confirmations of the claim. Absent where the heartbeat of the whole gateway confirms it. */
  readonly confirmEvery?: number
  /** `nodes` are the last counters, when there are any. */
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
  /** Tells followers in this process that there is news. */
  readonly changed: Effect.Effect<void>
}

/** How a run ended. */
export type Outcome =
  | { readonly _tag: "Succeeded" }
  /** `error` is for the user. */
  | { readonly _tag: "Failed"; readonly error: string }
  /** The run ended itself because its gateway was silent, which says nothing of the flowline. */
  | { readonly _tag: "Abandoned" }

export const failed = (error: string): Outcome => ({ _tag: "Failed", error })

/** One gateway's attempt at an execution or a job, on the row that it has claimed. */
export interface Attempt {
  /** The last counters of the nodes. */
  readonly nodes: () => ReadonlyArray<NodeCounters> | undefined
  /** What the engine gets: the flowline, with what it needs of its tenant. Or why it cannot run. */
  readonly prepare: <E>(
    flowline: Flowline,
    run: Pick<RunSpec, "executionId" | "lasting" | "origin">,
    positions: Effect.Effect<NonNullable<RunSpec["positions"]>, E>
  ) => Effect.Effect<Result.Result<RunSpec, string>, E>
  /** Starts the run, writes down what it says, and tells how it ended. No process of it is left then. */
  readonly run: (spec: RunSpec) => Effect.Effect<Outcome, Superseded | StorageUnreachable>
  /** Adds lines of the gateway's own to the output. */
  readonly print: (text: string) => Effect.Effect<void, Superseded>
  /** Gives what fails without an outcome one: `otherwise` gets the error for the user. */
  readonly guarded: <A>(
    work: Effect.Effect<A, Superseded | StorageUnreachable>,
    otherwise: (error: string) => Effect.Effect<A, Superseded>
  ) => Effect.Effect<A, Superseded>
  /**
   * Works until the end, or until the claim turns out to be lost, and confirms the claim meanwhile. When it is
   * interrupted, `last` is written, if that succeeds in time: else whoever claims the row next makes up for it.
   */
  readonly hold: (
    work: Effect.Effect<void, Superseded>,
    last: () => Effect.Effect<unknown, StorageUnreachable>
  ) => Effect.Effect<void>
}

/** Tries until the storage answers: a run does not end because the database is away, and its news wait meanwhile. */
export const retryWhileUnreachable = <A>(effect: Effect.Effect<A, StorageUnreachable>): Effect.Effect<A> => {
  const { first, longest } = outageRetry
  return Effect.orDie(Effect.retry(effect, Schedule.min([Schedule.exponential(first), Schedule.spaced(longest)])))
}

/** Makes a write as soon as the storage answers. It fails when the attempt is over. */
export const fenced = (write: FencedWrite): Effect.Effect<void, Superseded> =>
  Effect.flatMap(retryWhileUnreachable(write), (reached) => (reached ? Effect.void : Effect.fail(new Superseded())))

/** Logs a defect for the operators, and answers what the user is told. */
export const logDefect =
  (name: string) =>
  (defect: unknown): Effect.Effect<string> =>
    Effect.as(Effect.logError(name, defect), "the gateway could not follow the run")

const outcomeOf = (message: Extract<RunMessage, { readonly _tag: "Ended" }>): Outcome => {
  if (message.outcome === "succeeded") return { _tag: "Succeeded" }
  if (message.abandoned === true) return { _tag: "Abandoned" }
  const where = message.component === undefined ? "" : `${message.component}: `
  const error = message.error ?? "the run failed"
  return failed(error.startsWith(where) ? error : where + error)
}

/** Follows the runs of executions and jobs, which differ in what comes before and after a run. */
export class Attempts extends Context.Service<Attempts, { readonly begin: (row: ClaimedRow) => Attempt }>()(
  "flow/runs/Attempts"
) {
  static readonly layer = Layer.effect(
    Attempts,
    Effect.gen(function* () {
      const engine = yield* Engine
      const provision = yield* Provision
      const archives = yield* Archives

      const begin = (row: ClaimedRow): Attempt => {
        const { tenant, epoch, scope } = row
        let seq = row.lines
        let nodes: ReadonlyArray<NodeCounters> | undefined

        const output = (lines: ReadonlyArray<Omit<PrintedLine, "seq">>) =>
          lines.length === 0 ? Effect.void : fenced(row.output(lines.map((line) => ({ seq: ++seq, ...line }))))

        const archive = Effect.fnUntraced(function* (id: ArchiveId, sealed: Extract<RunMessage, { _tag: "Archived" }>) {
          const { sha256, size, entries } = sealed
          // Only the current attempt may give its archive.
          yield* fenced(row.confirm(nodes))
          const { flowlineId } = row
          yield* retryWhileUnreachable(archives.add(tenant, { id, flowlineId, sha256, size, entries }))
        })

        /** Takes over the files that the flowline appends to. Answers why it cannot. */
        const takeFiles = Effect.fnUntraced(function* (flowline: Flowline) {
          const wanted = appendedFiles(flowline)
          if (wanted.length === 0) return undefined
          const claims = yield* retryWhileUnreachable(row.claimFiles(wanted.map(({ path }) => path)))
          if (claims === undefined) return yield* Effect.fail(new Superseded())
          const files: Record<string, unknown> = {}
          for (const claim of claims) {
            const where = wanted.find(({ path }) => path === claim.path)?.component ?? ""
            if ("holder" in claim) {
              return (
                `${where}: ${holderName(claim.holder)} appends to the file "${claim.path}": ` +
                "wait for its end, or choose another file"
              )
            }
            const settled = yield* engine.settle(tenant, claim.path, claim.place)
            if (Result.isFailure(settled)) return `${where}: ${settled.failure}`
            files[claim.path] = canRepeat(flowline) ? settled.success : null
          }
          yield* fenced(row.progress({ positions: {}, files }))
          return undefined
        })

        const write = (spec: RunSpec, message: Exclude<RunMessage, { readonly _tag: "Ended" }>) => {
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
            case "Positions":
              return fenced(
                row.progress({ positions: message.positions, files: canRepeat(spec.flowline) ? message.files : {} })
              )
            case "Archived":
              return archive(ArchiveId(spec.executionId), message)
          }
        }

        const confirming = Effect.suspend(() => row.confirm(nodes)).pipe(
          // A database that is away for a while ends no run: nobody else can begin one meanwhile.
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
          prepare: Effect.fnUntraced(function* (flowline, run, positions) {
            const provisions = yield* provision.of(tenant, flowline)
            if (Result.isFailure(provisions)) return Result.fail(provisions.failure)
            const found = { ...provisions.success, positions: yield* positions }
            const { origin = run.executionId, ...rest } = run
            const named = canRepeat(flowline) ? { origin } : {}
            return Result.succeed({ tenant, epoch, scope, flowline, ...rest, ...named, ...found })
          }),
          run: Effect.fnUntraced(function* (spec) {
            const refusal = yield* takeFiles(spec.flowline)
            if (refusal !== undefined) return failed(refusal)
            let outcome = failed("the run said nothing of its end")
            yield* Stream.runForEach(engine.run(spec), (message) => {
              if (message._tag !== "Ended") return Effect.andThen(write(spec, message), row.changed)
              outcome = outcomeOf(message)
              return row.changed
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
