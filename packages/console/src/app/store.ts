// Without React, because the first script of the page uses it too: components read a store with `useSyncExternalStore`.

/** Listeners to something that changes. */
export interface Listeners {
  /** Calls all listeners. */
  readonly tell: () => void
  /** Returns a function that ends the subscription. */
  readonly subscribe: (listener: () => void) => () => void
}

export const listeners = (): Listeners => {
  const all = new Set<() => void>()
  return {
    tell: () => {
      for (const listener of all) listener()
    },
    subscribe: (listener) => {
      all.add(listener)
      return () => all.delete(listener)
    }
  }
}

/** A value, and who is told when it is set. */
export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  readonly subscribe: Listeners["subscribe"]
}

/** A value that lasts as long as the page. */
export const store = <A>(initial: A): Store<A> => {
  const { tell, subscribe } = listeners()
  let current = initial
  return {
    get: () => current,
    set: (value) => {
      current = value
      tell()
    },
    subscribe
  }
}
