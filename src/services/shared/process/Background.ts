import { Cause, type Duration, Effect, Schedule, type Scope } from "effect"

/** Logs any failure as `name`, also a defect, and goes on. An interruption still ends the fiber. */
export const survive = <E, R>(name: string, work: Effect.Effect<unknown, E, R>): Effect.Effect<void, never, R> =>
  Effect.catchCause(Effect.asVoid(work), (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.logWarning(`${name} failed`, cause)
  )

/**
 * Runs `round` again and again in the background, with a pause after each, until the scope ends. A failed round, also
 * one that fails by a defect, is logged as `name`; the next one may succeed.
 */
export const inBackground = <E, R>(
  name: string,
  round: Effect.Effect<unknown, E, R>,
  pause: Duration.Input
): Effect.Effect<void, never, R | Scope.Scope> =>
  survive(name, round).pipe(Effect.schedule(Schedule.spaced(pause)), Effect.forkScoped, Effect.asVoid)
