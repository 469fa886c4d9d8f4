import { useSyncExternalStore } from "react"
import { store } from "./store.ts"

export interface Toast {
  readonly id: number
  readonly text: string
}

const shownFor = 6000
const mostShown = 4

const toasts = store<ReadonlyArray<Toast>>([])
let next = 1

/** Removes a notice before it expires. */
export const close = (id: number): void => toasts.set(toasts.get().filter((toast) => toast.id !== id))

/** Shows a notice that needs no answer. Screen readers announce it. */
export const toast = (text: string): void => {
  const id = next++
  toasts.set([...toasts.get(), { id, text }].slice(-mostShown))
  setTimeout(() => close(id), shownFor)
}

/** The notices that are shown now, the oldest first. */
export const useToasts = (): ReadonlyArray<Toast> => useSyncExternalStore(toasts.subscribe, toasts.get)
