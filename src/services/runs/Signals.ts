import { Effect, Latch, type Scope } from "effect"
import { followerPoll } from "../../protocol/Liveness.ts"

/**
 * Notifies followers in this process of changes. Notifications are hints: followers read the store, and poll it every
 * second too, because another process may have made a change.
 */
export class Signals {
  readonly #listeners = new Map<string, Set<Latch.Latch>>()

  changed(key: string): void {
    for (const latch of this.#listeners.get(key) ?? []) latch.openUnsafe()
  }

  /** Returns an effect that waits for the next change. A change since the last wait ends it at once. */
  listen(key: string): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> {
    const latch = Latch.makeUnsafe()
    const add = Effect.sync(() => {
      const all = this.#listeners.get(key) ?? new Set()
      this.#listeners.set(key, all.add(latch))
    })
    const remove = Effect.sync(() => {
      const all = this.#listeners.get(key)
      all?.delete(latch)
      if (all?.size === 0) this.#listeners.delete(key)
    })
    const wait = latch.await.pipe(Effect.timeoutOption(followerPoll), Effect.andThen(latch.close), Effect.asVoid)
    return Effect.as(
      Effect.acquireRelease(add, () => remove),
      wait
    )
  }
}
