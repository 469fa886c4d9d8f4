import { Effect, Exit } from "effect"

/** Whether the effect has its value already, so that it needs no fiber. */
export const isKnown = <A, E, R>(self: Effect.Effect<A, E, R>): self is Exit.Success<A, E> =>
  Exit.isExit(self) && Exit.isSuccess(self)

/** `Effect.flatMap` that applies `f` at once where the value is known. For code that runs for every request. */
export const flatMapKnown = <A, E, R, B, E2, R2>(
  self: Effect.Effect<A, E, R>,
  f: (value: A) => Effect.Effect<B, E2, R2>
): Effect.Effect<B, E | E2, R | R2> => (isKnown(self) ? f(self.value) : Effect.flatMap(self, f))
