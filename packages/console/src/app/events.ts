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

/** Milliseconds that events are collected, so that a page is drawn once for many. */
const collected = 50
/** Milliseconds before a connection that broke is made again, at first and at most. */
const pauses = { first: 1000, longest: 15_000 }

/**
 * Follows an event stream of the gateway until the returned function is called. It connects again by itself when the
 * connection breaks, after the last event that it got: nothing is lost or comes twice. It is no `EventSource`, which
 * cannot say that a page of the gateway asks: a browser tells that by itself over TLS and on the own machine only.
 *
 * @param path below the gateway, without a slash at its begin: `v1/mytenant/flowline/executions/…/output`
 * @param names of the events besides `message`
 * @param take is given the events in their order, many at once
 * @param refused is called with the problem that the gateway answers, which ends it
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
