import { GatewayError } from "@flow-gateway/client/light"
import { useSyncExternalStore } from "react"
import { answering } from "../../app/gateway.ts"
import { store } from "../../app/store.ts"
import type { Upload } from "../../app/upload.ts"
import { changed } from "./changes.ts"
import { digestOf, Unreadable } from "./digest.ts"

/** Number of concurrent uploads. */
const atOnce = 2

/** An upload: a file, and how it is sent. */
export interface Task {
  /** Its name in the store. */
  readonly title: string
  /** Its later address in the console. */
  readonly to: string
  readonly file: File
  /** Sends the file. A retry with the same key lets the gateway store it only once. */
  readonly send: (key: string, onSent: (sent: number) => void) => Upload<unknown>
  /** The SHA-256 of the stored content. */
  readonly stored: (answer: unknown) => Promise<string>
}

export type State = "waiting" | "sending" | "checking" | "stored" | "differs" | "failed" | "cancelled"

/** The state of an upload, as shown to the reader. */
export interface Item {
  readonly id: number
  readonly task: Task
  readonly state: State
  readonly sent: number
  readonly hashed: number
  readonly here?: string
  readonly there?: string
  readonly error?: unknown
}

// Uploads outlive the page that started them: the reader may use other pages meanwhile.
const items = store<ReadonlyArray<Item>>([])
let nextId = 1
const keys = new Map<number, string>()
const ends = new Map<number, AbortController>()

const isOver = ({ state }: Item): boolean => !["waiting", "sending", "checking"].includes(state)

/** Leaving the console aborts uploads, so the browser asks first. */
const ask = (event: BeforeUnloadEvent): void => event.preventDefault()

const update = (next: ReadonlyArray<Item>): void => {
  if (next.some((item) => !isOver(item))) addEventListener("beforeunload", ask)
  else removeEventListener("beforeunload", ask)
  items.set(next)
}

const set = (id: number, change: Partial<Item>): void =>
  update(items.get().map((item) => (item.id === id ? { ...item, ...change } : item)))

/** Not `crypto.randomUUID`, which exists in secure contexts only. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * A gateway that refused an upload has released its key. Otherwise the key still stands for this upload; 409 means that
 * the gateway is still processing it.
 */
const isRefused = ({ status = 0 }: GatewayError): boolean => status >= 400 && status < 500 && status !== 409

const run = async ({ id, task }: Item): Promise<void> => {
  const ending = new AbortController()
  ends.set(id, ending)
  const key = keys.get(id) ?? newKey()
  keys.set(id, key)
  set(id, { state: "sending", sent: 0, hashed: 0 })
  try {
    // Sending an unreadable file fails like a lost connection.
    await task.file.slice(0, 1).arrayBuffer()
  } catch (error) {
    ends.delete(id)
    set(id, { state: "failed", error: new Unreadable(String(error)) })
    next()
    return
  }
  if (ending.signal.aborted) return
  const sending = task.send(key, (sent) => set(id, { sent: Math.min(sent, task.file.size) }))
  ending.signal.addEventListener("abort", sending.cancel)
  // A failure of one aborts the other, whose failure is then only a consequence.
  let failure: { readonly error: unknown } | undefined
  const together = async <A>(one: Promise<A>): Promise<A> =>
    one.catch((error: unknown) => {
      failure ??= { error }
      ending.abort()
      throw error
    })
  try {
    const [here, answer] = await Promise.all([
      together(digestOf(task.file, ending.signal, (hashed) => set(id, { hashed }))),
      together(answering(() => sending.done)).then((answer) => {
        set(id, { state: "checking", sent: task.file.size })
        return answer
      })
    ])
    const there = await answering(() => task.stored(answer))
    if (here !== there) keys.delete(id)
    set(id, { state: here === there ? "stored" : "differs", here, there })
    changed()
  } catch (cause) {
    const error = failure === undefined ? cause : failure.error
    if (error instanceof GatewayError && isRefused(error)) keys.delete(id)
    const isCancelled = items.get().some((item) => item.id === id && item.state === "cancelled")
    if (!isCancelled) set(id, { state: "failed", error })
  } finally {
    ends.delete(id)
    next()
  }
}

const next = (): void => {
  const running = items.get().filter(({ state }) => state === "sending" || state === "checking").length
  for (const item of items
    .get()
    .filter(({ state }) => state === "waiting")
    .slice(0, Math.max(0, atOnce - running))) {
    void run(item)
  }
}

/** Adds uploads. They start when those before them are done. */
export const enqueue = (tasks: ReadonlyArray<Task>): void => {
  const made = tasks.map((task): Item => ({ id: nextId++, task, state: "waiting", sent: 0, hashed: 0 }))
  update([...items.get(), ...made])
  next()
}

export const cancel = (id: number): void => {
  set(id, { state: "cancelled" })
  ends.get(id)?.abort()
}

/** Sends a file again. */
export const repeat = (id: number): void => {
  update(
    items.get().map((item) => (item.id === id ? { id, task: item.task, state: "waiting", sent: 0, hashed: 0 } : item))
  )
  next()
}

/** Removes finished uploads from the list. */
export const clear = (): void => update(items.get().filter((item) => !isOver(item)))

export const useUploads = (): ReadonlyArray<Item> => useSyncExternalStore(items.subscribe, items.get)
