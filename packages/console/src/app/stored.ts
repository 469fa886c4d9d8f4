import { consolePath } from "./base.ts"

/** Keys are separate per gateway, because a proxy may serve several gateways of one origin below prefixes. */
const prefix = `flow-console:${consolePath}:`

export const keyOf = (name: string): string => prefix + name

/** A value in the browser's storage, which other tabs may change as well. */
export interface Stored<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  readonly subscribe: (listener: () => void) => () => void
}

/**
 * Stores a value in the browser as JSON. If the browser's storage is unavailable, it lasts as long as the page.
 *
 * @param read checks a stored value; undefined if it is invalid
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
        // The storage is full or forbidden: the page works without it.
      }
      tell()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
