import { useSyncExternalStore } from "react"

export interface Toast {
  readonly id: number
  readonly text: string
}

const shownFor = 6000
const mostShown = 4

let toasts: ReadonlyArray<Toast> = []
let next = 1
const listeners = new Set<() => void>()

const update = (value: ReadonlyArray<Toast>): void => {
  toasts = value.slice(-mostShown)
  for (const listener of listeners) listener()
}

/** Removes a notice before it expires. */
export const close = (id: number): void => update(toasts.filter((toast) => toast.id !== id))

/** Shows a notice that needs no answer. Screen readers announce it. */
export const toast = (text: string): void => {
  const id = next++
  update([...toasts, { id, text }])
  setTimeout(() => close(id), shownFor)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The notices that are shown now, the oldest first. */
export const useToasts = (): ReadonlyArray<Toast> => useSyncExternalStore(subscribe, () => toasts)
