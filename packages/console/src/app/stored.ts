import { consolePath } from "./base.ts"

/** Every gateway of an origin has values of its own, as a proxy may serve several below prefixes. */
const prefix = `flow-console:${consolePath}:`

export const keyOf = (name: string): string => prefix + name

/** A value that the browser keeps, which other tabs may change as well. */
export interface Stored<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  readonly subscribe: (listener: () => void) => () => void
}

/**
 * Keeps a value in the browser, as JSON. Where the browser keeps nothing, it lasts as long as the page.
 *
 * @param read what was kept, checked; undefined if it is not such a value
 */
export const stored = <A>(name: string, fallback: A, read: (value: unknown) => A | undefined): Stored<A> => {
  const key = keyOf(name)
  const listeners = new Set<() => void>()
  const load = (): A => {
    try {
      const text = localStorage.getItem(key)
      return text === null ? fallback : (read(JSON.parse(text)) ?? fallback)
    } catch {
      return fallback
    }
  }
  let current = load()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  addEventListener("storage", (event) => {
    if (event.key !== key && event.key !== null) return
    current = load()
    tell()
  })
  return {
    get: () => current,
    set: (value) => {
      current = value
      try {
        localStorage.setItem(key, JSON.stringify(value))
      } catch {
        // A full or forbidden storage: the page goes on without it.
      }
      tell()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
