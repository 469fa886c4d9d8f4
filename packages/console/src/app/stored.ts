import { consolePath } from "./base.ts"
import { type Store, store } from "./store.ts"

/** Keys are separate per gateway, because a proxy may serve several gateways of one origin below prefixes. */
const prefix = `flow-console:${consolePath}:`

export const keyOf = (name: string): string => prefix + name

const loaded = <A>(storage: () => Storage, key: string, read: (value: unknown) => A | undefined): A | undefined => {
  try {
    const text = storage().getItem(key)
    return text === null ? undefined : read(JSON.parse(text))
  } catch {
    return undefined
  }
}

/**
 * Stores a value in the browser as JSON. Other tabs may change it as well. If the browser's storage is unavailable, it lasts as long as the page.
 *
 * @param read checks a stored value; undefined if it is invalid
 */
export const stored = <A>(name: string, fallback: A, read: (value: unknown) => A | undefined): Store<A> => {
  const key = keyOf(name)
  const load = (): A => loaded(() => localStorage, key, read) ?? fallback
  const current = store(load())
  addEventListener("storage", (event) => {
    if (event.key !== key && event.key !== null) return
    current.set(load())
  })
  return {
    ...current,
    set: (value) => {
      try {
        localStorage.setItem(key, JSON.stringify(value))
      } catch {
        // The storage is full or forbidden: the page works without it.
      }
      current.set(value)
    }
  }
}

/**
 * The same for a value that each tab has for itself, also when it is loaded again. A new tab begins with that of the tab
 * that was used last, as that is where its link was followed.
 */
export const storedInTab = <A>(
  name: string,
  fallback: A,
  read: (value: unknown) => A | undefined
): Store<A> & {
  /** Sets it for this tab only: until the tab is used, other new tabs do not begin with it. */
  readonly setHere: (value: A) => void
} => {
  const key = keyOf(name)
  const write = (storage: () => Storage, text: string) => {
    try {
      if (storage().getItem(key) !== text) storage().setItem(key, text)
    } catch {
      // A full or forbidden storage: the page goes on without it.
    }
  }
  const keep = (value: A, ...storages: ReadonlyArray<() => Storage>) => {
    if (value !== fallback) for (const storage of storages) write(storage, JSON.stringify(value))
  }
  const [ofTab, ofAll] = [() => sessionStorage, () => localStorage]
  const current = store(loaded(ofTab, key, read) ?? loaded(ofAll, key, read) ?? fallback)
  keep(current.get(), ofTab)
  for (const used of ["pointerdown", "keydown"])
    addEventListener(used, () => keep(current.get(), ofAll), { capture: true })
  return {
    ...current,
    set: (value) => {
      keep(value, ofTab, ofAll)
      current.set(value)
    },
    setHere: (value) => {
      keep(value, ofTab)
      current.set(value)
    }
  }
}
