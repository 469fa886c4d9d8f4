import { Context, type Effect } from "effect"

/** The dependencies that the gateway needs to serve requests, by name. Each check completes within about a second. */
export class Readiness extends Context.Service<
  Readiness,
  {
    readonly checks: ReadonlyMap<string, Effect.Effect<unknown, unknown>>
    /** Numbers of what an operator has to look after, and which is no reason to send requests elsewhere. */
    readonly defects: ReadonlyMap<string, Effect.Effect<number, unknown>>
    /** How Python programs and the processes of runs are isolated: the parts. Absent while that is being found out. */
    readonly isolation?: () => {
      readonly python?: ReadonlyArray<string> | undefined
      readonly runs?: ReadonlyArray<string> | undefined
    }
  }
>()("flow/shared/Readiness") {}
