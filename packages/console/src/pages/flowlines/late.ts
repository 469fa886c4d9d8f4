import { useEffect, useState, useSyncExternalStore } from "react"
import { useReachable } from "../../app/gateway.ts"
import { store } from "../../app/store.ts"
import { toast } from "../../app/toasts.ts"
import { common } from "../../texts/en.ts"

export interface Late<out A> {
  readonly get: () => Promise<A>
  /** The module if it is loaded. */
  readonly loaded: () => A | undefined
  /** Calls the listener when it is loaded; returns a function that stops that. */
  readonly subscribe: (listener: () => void) => () => void
  /** Calls a function with it: immediately if it is loaded. */
  readonly use: (run: (found: A) => void) => void
}

/** A module that is loaded on demand, once for all its users. */
export const late = <A>(load: () => Promise<A>): Late<A> => {
  const loaded = store<A | undefined>(undefined)
  let loading: Promise<A> | undefined
  const get = () => {
    loading ??= load().then(
      (found) => {
        loaded.set(found)
        return found
      },
      (cause: unknown) => {
        loading = undefined
        throw cause
      }
    )
    return loading
  }
  return {
    get,
    loaded: loaded.get,
    subscribe: loaded.subscribe,
    use: (run) => {
      const found = loaded.get()
      if (found !== undefined) run(found)
      else void get().then(run, () => toast(common.notLoaded))
    }
  }
}

/** What is loaded, if it is. It is loaded when it is wanted; after a failure, when the gateway is back. */
export const useLoaded = <A>({ get, loaded, subscribe }: Late<A>, isWanted: boolean): A | undefined => {
  const isReachable = useReachable()
  useEffect(() => {
    if (isWanted && isReachable) get().catch(() => {})
  }, [isWanted, isReachable, get])
  return useSyncExternalStore(subscribe, loaded)
}

/** Whether the user has used this page in any way. */
export const useActed = (): boolean => {
  const [isActed, setActed] = useState(false)
  useEffect(() => {
    const ending = new AbortController()
    const act = () => {
      ending.abort()
      setActed(true)
    }
    for (const event of ["pointerdown", "keydown"])
      addEventListener(event, act, { signal: ending.signal, capture: true })
    return () => ending.abort()
  }, [])
  return isActed
}
