import { Schema } from "effect"
import { durationMillis, PositiveDuration } from "../../languages/DurationText.ts"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { plainReading, RecordReader } from "../formats/RecordReader.ts"
import { recordOf, textDecoder } from "../formats/TextReader.ts"
import { chosen, type Emit, type Event, errors, type NodeContext, node, type SettingsIssue } from "../Node.ts"
import { type FetchResponse, RefusedAddress, TooLargeBody } from "../ports/Network.ts"
import { batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"
import { charsetOf, headersSetting, isPassing, silenceOf, urlSetting } from "../settings/HttpSettings.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { sleep } from "../time/Sleep.ts"
import { firstPage, nextPage, PagesSetting, Pointer, pagesFault, valueAt } from "./http/Pages.ts"

const formats = ["json", "ndjson", "csv", "lines"] as const
type Format = (typeof formats)[number]

const ofType: Readonly<Record<string, Format>> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "text/csv": "csv",
  "text/plain": "lines"
}

const firstPause = 200
const longestPause = 30_000

const settings = Schema.Struct({
  url: urlSetting,
  headers: headersSetting,
  every: Schema.optionalKey(
    PositiveDuration.annotate({
      description: "Asks again after this time, such as `30s`, until the run is stopped. Default: asks once."
    })
  ),
  format: Schema.optionalKey(
    Schema.Literals(formats).annotate({
      description:
        "`json` (an object or a list of objects; see `records`), `ndjson`, `csv` or `lines`, as in `file_input`. " +
        "Default: by the answer's `Content-Type`."
    })
  ),
  records: Schema.optionalKey(
    Pointer.annotate({ description: "For `json`: JSON pointer to the records in the answer, such as `/data/items`." })
  ),
  pages: Schema.optionalKey(
    PagesSetting.annotate({
      description: "How the next page of an answer is found: one of `next`, `cursor`, `offset`, `page`."
    })
  ),
  max_pages: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })).pipe(
    withDefault(1000, "Maximum number of pages of one reading; more fail the run.")
  ),
  max_bytes: Schema.Int.check(Schema.isBetween({ minimum: 1024, maximum: 268_435_456 })).pipe(
    withDefault(16_777_216, "Maximum size of an answer in bytes, after decompression.")
  ),
  timeout_seconds: Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 })).pipe(
    withDefault(30, "Seconds to wait for a whole answer.")
  ),
  retry_seconds: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })).pipe(
    withDefault(300, "Seconds to repeat a request before the run fails.")
  )
})
type Settings = typeof settings.Type

/** The validators (`ETag`, `Last-Modified`) of the answer that was read last. */
const Seen = Schema.Struct({ etag: Schema.optionalKey(Schema.String), modified: Schema.optionalKey(Schema.String) })
type Seen = typeof Seen.Type
const isSeen = Schema.is(Seen)

const keepsPosition = ({ every, pages }: Settings): boolean => every !== undefined && pages === undefined

const none: Seen = {}

/** A failure that a retry would only repeat. */
class Refusal extends Error {}

/** Asks until there is an answer: a success, or 304. */
const ask = async (given: Settings, url: URL, seen: Seen, { network, signal }: NodeContext): Promise<FetchResponse> => {
  const began = performance.now()
  const headers = {
    "user-agent": "flow-gateway",
    accept: "application/json, application/x-ndjson, text/csv, text/plain;q=0.9, */*;q=0.1",
    ...(seen.etag === undefined ? {} : { "if-none-match": seen.etag }),
    ...(seen.modified === undefined ? {} : { "if-modified-since": seen.modified }),
    ...given.headers
  }
  const isConditional = seen.etag !== undefined || seen.modified !== undefined
  const timeoutMillis = given.timeout_seconds * 1000
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    let trouble: string
    let wait = pause * (0.75 + Math.random() / 2)
    try {
      const answer = await network.get({ url: url.href, headers, timeoutMillis, maxBytes: given.max_bytes, signal })
      const { status, retryAfterMillis } = answer
      if ((status >= 200 && status < 300) || (status === 304 && isConditional)) return answer
      const to = answer.headers["location"]
      if (status >= 300 && status < 400 && to !== undefined) {
        const target = URL.parse(to, url)
        throw new Refusal(
          `${url.host} redirects to ${target === null ? "another address" : target.origin + target.pathname}, and ` +
            "redirections are not followed: set url to where it leads"
        )
      }
      if (!isPassing(status)) throw new Refusal(`${url.host} answers with status ${status}`)
      trouble = `status ${status}`
      wait = retryAfterMillis ?? wait
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof TooLargeBody) {
        throw new Error(`The answer of ${url.host} has more than max_bytes, ${given.max_bytes}`)
      }
      if (error instanceof RefusedAddress || error instanceof Refusal) throw error
      trouble = silenceOf(error)
    }
    const left = given.retry_seconds * 1000 - (performance.now() - began)
    if (left <= 0) throw new Error(`${url.host} has not answered for ${given.retry_seconds} seconds: ${trouble}`)
    await sleep(Math.min(wait, left), signal)
    signal.throwIfAborted()
  }
}

/** Codings of answers that need no decoding here, because they have none or it is removed already. */
const plainCodings = /^(?:identity|gzip|x-gzip)?$/i

const formatOf = (given: Settings, { headers }: FetchResponse, url: URL): Format => {
  if (given.format !== undefined) return given.format
  if (given.records !== undefined) return "json"
  const type = (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()
  const format = ofType[type] ?? (type.endsWith("+json") ? "json" : undefined)
  if (format === undefined) {
    throw new Error(`${url.host} does not say what it answers with (Content-Type: ${type.slice(0, 100)}): set format`)
  }
  return format
}

/** Emits the records of an answer in JSON. Returns the answer and the number of its records. */
const takeJson = async (
  { records = "" }: Settings,
  text: string,
  context: NodeContext,
  emit: Emit
): Promise<readonly [body: unknown, records: number]> => {
  let body: unknown
  try {
    body = parseJson(text)
  } catch (error) {
    throw new Error(`The answer is not JSON: ${messageOf(error)}`)
  }
  const found = valueAt(body, records)
  if (found === undefined) throw new Error(`The answer has no ${records}: set records to where the records are`)
  const list: ReadonlyArray<unknown> = Array.isArray(found) ? found : found === null ? [] : [found]
  const failures = new Failures(context)
  const events: Array<Event> = []
  for (const item of list) {
    const record = recordOf(item, text.length)
    if (typeof record !== "string") events.push(record)
    else
      failures.add(
        { message: JSON.stringify(item).slice(0, 1000) },
        record.replace("the line is JSON, but not", "this is not")
      )
  }
  for (let at = 0; at < events.length; at += batchRecords) await emit(chosen, events.slice(at, at + batchRecords))
  await failures.send(emit)
  return [body, list.length]
}

/** Emits the records of an answer. Returns it, as far as it is JSON, and the number of its records. */
const take = async (given: Settings, answer: FetchResponse, url: URL, context: NodeContext, emit: Emit) => {
  // Servers answer 204 if there are no records at the moment.
  if (answer.status === 204) return [undefined, 0] as const
  const coding = answer.headers["content-encoding"] ?? ""
  if (!plainCodings.test(coding)) {
    throw new Error(`${url.host} answers with Content-Encoding ${coding.slice(0, 100)}; only gzip can be read`)
  }
  const format = formatOf(given, answer, url)
  if (format === "json") return takeJson(given, new TextDecoder().decode(answer.body), context, emit)
  let count = 0
  const reader = new RecordReader(plainReading(format), context, (stream, batch) => {
    count += batch.length
    return emit(stream, batch)
  })
  const charset = charsetOf(answer.headers["content-type"])
  if (format === "ndjson" || /^utf-?8$/i.test(charset)) await reader.push(answer.body)
  else {
    const decode = textDecoder(charset)
    await reader.push(new TextEncoder().encode(decode(answer.body) + decode()))
  }
  await reader.end()
  return [undefined, count] as const
}

/** Reads all pages. Returns the validators of the answer, or undefined when it is the one that was read last. */
const readPages = async (given: Settings, seen: Seen, context: NodeContext, emit: Emit): Promise<Seen | undefined> => {
  const { pages } = given
  const begin = new URL(given.url)
  let url = pages === undefined ? begin : firstPage(begin, pages)
  const visited = new Set<string>()
  for (let number = 0, records = 0; ; number++) {
    if (number >= given.max_pages) throw new Error(`There are more than max_pages, ${given.max_pages}`)
    const answer = await ask(given, url, seen, context)
    if (answer.status === 304) return undefined
    visited.add(url.href)
    const [body, last] = await take(given, answer, url, context, emit)
    records += last
    if (pages === undefined) {
      const { etag, "last-modified": modified } = answer.headers
      return { ...(etag === undefined ? {} : { etag }), ...(modified === undefined ? {} : { modified }) }
    }
    const next = nextPage(pages, answer, body, { url, number, records, last })
    if (next === undefined) return none
    if (visited.has(next.href)) throw new Error("The next page is one that was read already")
    url = next
  }
}

export const httpPollInput = node({
  type: "http_poll_input",
  kind: "input",
  description:
    "Asks a URL for records, once or again and again, page by page. Requests that get no answer, 408, 425, 429 or 5xx are " +
    "repeated after growing pauses or after `Retry-After`; any other status fails the run. Redirections are not " +
    "followed. With `every` and without `pages`, an answer is read again only when its `ETag` or `Last-Modified` has " +
    "changed, also in a later attempt. To receive requests, use `http_input`.",
  runtimes: ["stream", "analytics", "pybatch"],
  settings,
  secrets: ["url", "headers"],
  aliases: ["http_poller", "http_poll", "http_get", "http_get_input", "url_input", "rest_input", "api_input"],
  elsewhere: { port: "http_input", host: "http_input", path: "http_input", ack: "http_input" },
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  isLive: true,
  example: {
    url: "https://api.example.com/v1/alerts",
    headers: { authorization: `Bearer \${secret:API_TOKEN}` },
    records: "/alerts"
  },
  check: ({ every, pages, records, format }, { runtime }) => {
    const issues: Array<SettingsIssue> = []
    if (every !== undefined && runtime !== undefined && runtime !== "stream") {
      issues.push({ path: ["every"], detail: "Only stream flowlines ask again and again" })
    }
    if (format !== undefined && format !== "json") {
      if (records !== undefined)
        issues.push({ path: ["records"], detail: "Only answers in json have a place for records" })
      if (pages?.cursor !== undefined || (pages?.next !== undefined && pages.next !== "link")) {
        issues.push({
          path: ["pages"],
          detail: "Only answers in json say where the next page is; next: link is a header"
        })
      }
    }
    const fault = pages === undefined ? undefined : pagesFault(pages)
    if (fault === undefined) return issues
    return [...issues, { path: ["pages", ...(fault.member === undefined ? [] : [fault.member])], detail: fault.detail }]
  },
  keepsPosition,
  start: (given, context) => ({
    run: async (emit) => {
      const { signal, position } = context
      const keeps = keepsPosition(given)
      const saved = keeps ? position.load() : undefined
      let seen: Seen = isSeen(saved) ? saved : none
      for (;;) {
        const now = await readPages(given, seen, context, emit)
        if (now !== undefined && keeps) {
          seen = now
          position.save(() => now)
        }
        if (given.every === undefined) return
        await sleep(durationMillis(given.every), signal)
        if (signal.aborted) return
      }
    }
  })
})
