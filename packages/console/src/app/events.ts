import { createParser } from "eventsource-parser"
import { ask } from "./ask.ts"
import { isLost } from "./gateway.ts"

/** An event of an event stream. */
export interface StreamEvent {
  /** Its name: `message` where the stream gives none. */
  readonly name: string
  readonly data: string
  /** Counts within the stream; empty where the stream gives none. */
  readonly id: string
}

/** Milliseconds for which events are collected, so that the page renders once for many. */
const collected = 50
/** Milliseconds before a broken connection is opened again: at first, and at most. */
const pauses = { first: 1000, longest: 15_000 }

/**
 * Follows an event stream of the gateway until the returned function is called. It reconnects by itself and resumes
 * after the last event that it received: no event is lost or repeated. This is not an `EventSource`, because that
 * cannot send the header by which the gateway recognises its own pages; browsers send their own only over TLS and on
 * the local machine.
 *
 * @param path below the gateway, without a leading slash: `v1/mytenant/flowline/executions/…/output`
 * @param names of the events besides `message`
 * @param take called with batches of events, in order
 * @param refused called with the gateway's problem, which ends the stream
 */
export const followEvents = (
  path: string,
  names: ReadonlyArray<string>,
  take: (events: ReadonlyArray<StreamEvent>) => void,
  refused: (error: unknown) => void
): (() => void) => {
  const ending = new AbortController()
  const { signal } = ending
  const known = new Set(["message", ...names])
  let waiting: Array<StreamEvent> = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = ""
  let pause = pauses.first
  const flush = () => {
    timer = undefined
    const events = waiting
    waiting = []
    if (!signal.aborted) take(events)
  }

  const read = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    const parser = createParser({
      onEvent: ({ event: name = "message", data, id }) => {
        last = id ?? last
        pause = pauses.first
        if (!known.has(name)) return
        waiting.push({ name, data, id: last })
        timer ??= setTimeout(flush, collected)
      }
    })
    const decoder = new TextDecoder()
    const reader = body.getReader()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      parser.feed(decoder.decode(chunk.value, { stream: true }))
    }
  }

  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      const headers = { accept: "text/event-stream", ...(last !== "" && { "last-event-id": last }) }
      let body: ReadableStream<Uint8Array> | null
      try {
        body = await ask(path, { headers, signal }, (response) => response.body)
      } catch (error) {
        if (signal.aborted) return
        if (!isLost(error)) return refused(error)
        await new Promise((done) => setTimeout(done, pause))
        pause = Math.min(2 * pause, pauses.longest)
        continue
      }
      // A connection that breaks or ends is made again.
      if (body !== null) await read(body).catch(() => {})
      await new Promise((done) => setTimeout(done, pause))
    }
  }
  void follow()
  return () => {
    clearTimeout(timer)
    ending.abort()
  }
}
