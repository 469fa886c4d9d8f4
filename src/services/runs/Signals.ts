import { Effect, type Scope } from "effect"
import { followerPoll } from "../../protocol/Liveness.ts"

interface Listener {
  dirty: boolean
  wake: (() => void) | undefined
}

/**
 * Notifies followers in this process of changes. Notifications are hints: followers read the store, and poll it every
 * second too, because another process may have made a change.
 */
export class Signals {
  readonly #listeners = new Map<string, Set<Listener>>()

  changed(key: string): void {
    for (const listener of this.#listeners.get(key) ?? []) {
      listener.dirty = true
      listener.wake?.()
    }
  }

  /** Returns an effect that waits for the next change. A change since the last wait ends it at once. */
  listen(key: string): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> {
    const listener: Listener = { dirty: false, wake: undefined }
    const add = Effect.sync(() => {
      const all = this.#listeners.get(key) ?? new Set()
      this.#listeners.set(key, all.add(listener))
    })
    const remove = Effect.sync(() => {
      const all = this.#listeners.get(key)
      all?.delete(listener)
      if (all?.size === 0) this.#listeners.delete(key)
    })
    const wait = Effect.callback<void>((resume) => {
      if (listener.dirty) {
        listener.dirty = false
        return resume(Effect.void)
      }
      listener.wake = () => {
        listener.wake = undefined
        listener.dirty = false
        resume(Effect.void)
      }
    }).pipe(Effect.timeoutOption(followerPoll), Effect.asVoid)
    return Effect.as(
      Effect.acquireRelease(add, () => remove),
      wait
    )
  }
}
