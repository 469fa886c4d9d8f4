import { Schema } from "effect"
import { errors, type NodeContext, node } from "../Node.ts"
import { type HttpReply, RefusedAddress } from "../ports/Network.ts"
import { Failures } from "../records/Failures.ts"
import { headersSetting, isPassing, silenceOf, urlSetting } from "../settings/HttpSettings.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { sleep } from "../time/Sleep.ts"
import { RecordIds } from "./RecordIds.ts"

const formats = ["ndjson", "json"] as const
const firstPause = 200
const longestPause = 30_000

interface Sending {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMillis: number
  readonly retryMillis: number
}

/** Sends until the server accepts the body (undefined) or refuses it (the status). Throws when the time is over. */
const deliver = async (body: string, to: Sending, { network, signal }: NodeContext): Promise<number | undefined> => {
  const began = performance.now()
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    let reply: HttpReply | undefined
    let trouble: string
    try {
      reply = await network.post({ url: to.url, headers: to.headers, body, timeoutMillis: to.timeoutMillis, signal })
      if (reply.status >= 200 && reply.status < 300) return undefined
      if (!isPassing(reply.status)) return reply.status
      trouble = `status ${reply.status}`
    } catch (error) {
      signal.throwIfAborted()
      // It would be refused again.
      if (error instanceof RefusedAddress) throw error
      trouble = silenceOf(error)
    }
    const left = to.retryMillis - (performance.now() - began)
    if (left <= 0) {
      throw new Error(
        `${new URL(to.url).host} has not taken the records for ${to.retryMillis / 1000} seconds: ${trouble}`
      )
    }
    // Random, so that senders that failed together do not retry together.
    const wait = reply?.retryAfterMillis ?? pause * (0.75 + Math.random() / 2)
    await sleep(Math.min(wait, left), signal)
    signal.throwIfAborted()
  }
}

export const httpOutput = node({
  type: "http_output",
  kind: "output",
  description:
    "Sends the records in POST requests, in order and at least once. When the server does not answer or answers 408, 425, " +
    "429 or 5xx, the request is repeated after growing pauses or after `Retry-After`, and the flowline waits; " +
    "after `retry_seconds` the run fails. Records of a request that is refused with another status go to `errors`. " +
    "The header `Idempotency-Key` is the same for the same request, also in a repeated attempt.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    url: urlSetting,
    format: Schema.Literals(formats).pipe(
      withDefault("ndjson", "`ndjson` (one object per line) or `json` (a list of objects).")
    ),
    headers: headersSetting,
    batch_records: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).pipe(
      withDefault(500, "Maximum number of records per request.")
    ),
    timeout_seconds: Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 })).pipe(
      withDefault(30, "Seconds to wait for an answer.")
    ),
    id_field: Schema.optionalKey(
      Schema.NonEmptyString.annotate({
        description:
          "Field in which each record is sent with an id of its own, which every repeated attempt gives to the same " +
          "record: a server that knows it need not take the record twice. Not for records of `http_input` and " +
          "`syslog_input`, which come only once."
      })
    ),
    retry_seconds: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })).pipe(
      withDefault(300, "Seconds to repeat a request before the run fails.")
    )
  }),
  secrets: ["url", "headers"],
  inputs: { min: 1, max: 100 },
  identifies: true,
  hints: ({ id_field }, live) =>
    id_field === undefined
      ? []
      : live.map(
          (input) =>
            `Records of ${input} come only once: when its sender repeats one, it gets another id in ${id_field}. ` +
            "To recognize it, the sender has to give it an id"
        ),
  outputs: [errors],
  example: { url: "https://collector.example.com/events", batch_records: 500 },
  start: (settings, context) => {
    const isList = settings.format === "json"
    const to: Sending = {
      url: settings.url,
      headers: {
        "content-type": isList ? "application/json" : "application/x-ndjson",
        "user-agent": "flow-gateway",
        ...(context.runId === undefined ? {} : { "flow-run": context.runId }),
        ...settings.headers
      },
      timeoutMillis: settings.timeout_seconds * 1000,
      retryMillis: settings.retry_seconds * 1000
    }
    const failures = new Failures(context)
    const { id_field: idField } = settings
    const isKeyGiven = Object.keys(settings.headers ?? {}).some((name) => name.toLowerCase() === "idempotency-key")
    const ids = new RecordIds(context)
    return {
      process: async (batch, emit) => {
        for (let at = 0; at < batch.length; at += settings.batch_records) {
          const part = batch.slice(at, at + settings.batch_records)
          const places = part.map(ids.placeOf)
          const lines = part.map((event, index) => {
            const line = JSON.stringify(event)
            if (idField === undefined) return line
            return JSON.stringify({ ...event, [idField]: ids.of(places[index]!, line) })
          })
          const body = isList ? `[${lines.join(",")}]` : lines.map((line) => `${line}\n`).join("")
          const key = isKeyGiven ? {} : { "idempotency-key": ids.of(places[0]!, body) }
          const refusal = await deliver(body, { ...to, headers: { ...to.headers, ...key } }, context)
          if (refusal === undefined) continue
          for (const event of part) failures.add(event, `the server refused it with status ${refusal}`)
        }
        await failures.send(emit)
      },
      position: ids.position
    }
  }
})
