import { Schema } from "effect"
import { bodyTypes, recordsOf } from "../formats/BodyRecords.ts"
import { plainReading, RecordReader } from "../formats/RecordReader.ts"
import { textDecoder } from "../formats/TextReader.ts"
import { chosen, type Emit, type Event, errors, type NodeContext, node } from "../Node.ts"
import { type Answer, type IncomingRequest, TooLargeBody } from "../ports/Network.ts"
import { batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { hostSetting, portFaults, portSetting } from "./Ports.ts"

const problem = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers,
  body: { status, detail }
})

/** A sender that has brought less than so many bytes in each second may lose its place, but not in the first. */
const leastRate = 16 * 1024

/** A request whose body is still coming. */
class Receipt {
  readonly #since = performance.now()
  bytes = 0
  /** Answers the request at once, and gives its place away. */
  readonly yieldPlace: () => void

  constructor(yieldPlace: () => void) {
    this.yieldPlace = yieldPlace
  }

  get isSlow(): boolean {
    const seconds = (performance.now() - this.#since) / 1000
    return seconds > 1 && this.bytes < leastRate * seconds
  }
}

const acknowledgements = ["stored", "received"] as const
const tooSlow = "The body has come slower than 16 KiB per second, and other senders have waited. Send it again"
const tooLate = "The records were not taken in time; they may be processed all the same. Send them again"

/** The records of a request, or the answer to one that has none. */
const read = async (
  request: IncomingRequest,
  context: NodeContext,
  receipt: Receipt
): Promise<Answer | { readonly events: ReadonlyArray<Event>; readonly failures: Failures }> => {
  if (!bodyTypes.has(request.type)) {
    return problem(415, "The body must be application/x-ndjson, application/json or text/plain")
  }
  // JSON is always UTF-8, whatever its charset says: RFC 8259, 8.1 and 11.
  const decode = textDecoder(request.type === "text/plain" ? request.charset : "utf-8")
  let text = ""
  try {
    for await (const chunk of request.body) {
      receipt.bytes += chunk.length
      text += decode(chunk)
    }
  } catch (error) {
    return error instanceof TooLargeBody ? problem(413, error.message) : problem(400, "The body cannot be read")
  }
  const failures = new Failures(context)
  const events = recordsOf(request.type, text + decode(), failures)
  return typeof events === "string" ? problem(400, events) : { events, failures }
}

/** Passes the records on, as long as the sender waits. */
const pass = async (
  events: ReadonlyArray<Event>,
  failures: Failures,
  emit: Emit,
  sender: AbortSignal
): Promise<Answer> => {
  let rejected = 0
  for (let at = 0; at < events.length && !sender.aborted; at += batchRecords)
    await emit(chosen, events.slice(at, at + batchRecords))
  await failures.send((stream, batch) => {
    rejected += batch.length
    return emit(stream, batch)
  })
  if (events.length === 0 && rejected > 0) return problem(400, "No line of the body is a JSON object")
  return { status: 202, body: { accepted: events.length, rejected } }
}

export const httpInput = node({
  type: "http_input",
  kind: "input",
  description:
    "Receives records in POST requests on its own port: one JSON object per line (`application/x-ndjson`, the " +
    "default), an object or a list of objects (`application/json`), or text lines (`text/plain` in its `charset`, each becomes `{message}`). " +
    "Bodies may be compressed with gzip. The answer is 202 with the numbers of accepted and rejected records when the " +
    "outputs have stored the records (see `ack`), 503 with `Retry-After` when that takes too long, 400 for an invalid " +
    "body, 413 for one that is too large, and 429 with `Retry-After` while too many requests are waiting. Then a sender " +
    "whose body comes slower than 16 KiB per second gives its place to another one, and is answered 408. To ask a URL " +
    "for records, use `http_poll_input`.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    host: hostSetting,
    port: portSetting(8088),
    path: Schema.String.check(Schema.isPattern(/^\/[^\s?#]*$/u)).pipe(
      withDefault("/", "URL path of the requests; starts with a slash.")
    ),
    max_body_bytes: Schema.Int.check(Schema.isBetween({ minimum: 1024, maximum: 67_108_864 })).pipe(
      withDefault(4_194_304, "Maximum size of a body in bytes, after decompression.")
    ),
    max_waiting: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 256 })).pipe(
      withDefault(16, "Maximum number of requests in progress or waiting; further ones are answered 429.")
    ),
    ack: Schema.Literals(acknowledgements).pipe(
      withDefault(
        "stored",
        "What 202 says: `stored` (the outputs have the records safe, so that they survive the end of the gateway) or " +
          "`received` (all nodes have taken them; those of the last moments are lost if the gateway is killed)."
      )
    ),
    ack_seconds: Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 })).pipe(
      withDefault(30, "Seconds to wait for that, before the answer is 503.")
    )
  }),
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  isLive: true,
  check: ({ port }, context) => portFaults(port, context),
  sample: (_, context) => async (text, emit) => {
    const reader = new RecordReader(plainReading("ndjson"), context, emit)
    await reader.push(text)
    await reader.end()
  },
  aliases: ["webhook", "webhook_input", "http_listener"],
  elsewhere: { url: "http_poll_input", every: "http_poll_input", headers: "http_poll_input" },
  example: { port: 8088, path: "/events" },
  start: ({ host, port, path, max_body_bytes: maxBodyBytes, max_waiting: maxWaiting, ack, ack_seconds }, context) => ({
    run: async (emit) => {
      const { signal } = context
      let waiting = 0
      /** Requests whose bodies are still coming, the oldest first. */
      const receiving = new Set<Receipt>()
      const take = async (
        request: IncomingRequest,
        isOver: () => void,
        sender: AbortSignal,
        receipt: Receipt
      ): Promise<Answer> => {
        const taken = await read(request, context, receipt).finally(() => receiving.delete(receipt))
        if ("status" in taken) return taken
        if (sender.aborted) return problem(408, tooSlow)
        const timer = setTimeout(isOver, ack_seconds * 1000)
        try {
          const answer = await pass(taken.events, taken.failures, emit, sender)
          if (ack === "stored") await context.stored?.()
          return answer
        } finally {
          clearTimeout(timer)
        }
      }
      const server = await context.network.http({ host, port, maxBodyBytes }, async (request) => {
        if (request.path !== path) return problem(404, `Requests are received at ${path} only`)
        if (request.method !== "POST") return problem(405, "Only POST is allowed", { allow: "POST" })
        if (waiting >= maxWaiting) [...receiving].find(({ isSlow }) => isSlow)?.yieldPlace()
        if (waiting >= maxWaiting) return problem(429, "Too many requests are waiting", { "retry-after": "1" })
        waiting++
        const late = Promise.withResolvers<Answer>()
        const sender = new AbortController()
        let hasPlace = true
        const leave = () => {
          if (hasPlace) waiting--
          hasPlace = false
        }
        const receipt = new Receipt(() => {
          receiving.delete(receipt)
          leave()
          sender.abort()
          late.resolve(problem(408, tooSlow, { "retry-after": "1" }))
        })
        receiving.add(receipt)
        const isOver = () => {
          sender.abort()
          late.resolve(problem(503, tooLate, { "retry-after": "5" }))
        }
        // The place of a request that was answered 503 is free when its records are no longer under way.
        const kept = take(request, isOver, sender.signal, receipt).finally(leave)
        return Promise.race([kept, late.promise])
      })
      try {
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
      } finally {
        await server.close()
      }
    }
  })
})
