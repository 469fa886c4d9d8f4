import { Duration, Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { RequestMemory } from "../shared/capacity/RequestMemory.ts"
import { Draining } from "../shared/process/Draining.ts"
import { type FollowEvent, followedPage, type StoredLine } from "../shared/reads/OutputLines.ts"
import { Rights } from "../shared/security/Rights.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { preferred, selected } from "./Accept.ts"
import { jsonArray, listBytes } from "./JsonText.ts"
import { withFirstChunk } from "./ReadAhead.ts"

type Format = "json" | "text" | "ndjson" | "events"

type Offer<F> = readonly [mediaType: string, format: F]

const json: Offer<"json"> = ["application/json", "json"]
const ndjson: Offer<"ndjson"> = ["application/x-ndjson", "ndjson"]
const events: Offer<"events"> = ["text/event-stream", "events"]

/** The format of lines that an Accept header asks for, JSON by default. */
export const formatOf = (accept: string | undefined): Format =>
  preferred<Format>(accept, [json, ["text/plain", "text"], ndjson, events])

/** Whether an Accept header asks for an event stream in place of JSON. */
export const wantsEvents = (accept: string | undefined): boolean =>
  preferred<Format>(accept, [json, events]) === "events"

/** Whether an Accept header asks for a JSON text in each line in place of a JSON array. */
export const wantsLines = (accept: string | undefined): boolean =>
  preferred<Format>(accept, [json, ndjson]) === "ndjson"

/**
 * The sequence number after which to continue: that of the last line that the client received (`Last-Event-ID`), else
 * `from`.
 */
export const startOf = (request: HttpServerRequest.HttpServerRequest, from: number | undefined): number | undefined => {
  const seen = request.headers["last-event-id"]
  return seen !== undefined && /^\d{1,15}$/.test(seen) ? Number(seen) : from
}

/** Lines as one document, with members about the run. The lines are read while the document is sent. */
export const outputDocument = Effect.fn("Lines.document")(function* (
  format: Exclude<Format, "events">,
  tenant: TenantId,
  about: { readonly id?: string; readonly state?: string; readonly truncated?: boolean },
  lines: Stream.Stream<StoredLine, StorageUnreachable>
) {
  yield* (yield* RequestMemory).hold(tenant, listBytes)
  const all = yield* withFirstChunk(lines)
  if (format !== "json") {
    const each = Stream.mapArray(all, (chunk) => [
      chunk.map((line) => `${format === "text" ? line.text : line.json}\n`).join("")
    ])
    const contentType = format === "text" ? "text/plain; charset=utf-8" : "application/x-ndjson"
    return selected(HttpServerResponse.stream(Stream.encodeText(each), { contentType }))
  }
  const head = JSON.stringify({ ...about, lines: [] }).slice(0, -2)
  return selected(HttpServerResponse.stream(jsonArray(all, head, "]}"), { contentType: "application/json" }))
})

/** Interval of comments to a silent follower, which stop proxies from closing the connection. */
const heartbeat = Duration.toMillis("15 seconds")

/** When an event stream of a request breaks off: the gateway stops, or the sender may no longer read it. */
export const streamEnd = Effect.gen(function* () {
  const draining = yield* Draining
  const rights = yield* Rights
  return (request: HttpServerRequest.HttpServerRequest, tenant: TenantId): Effect.Effect<void> =>
    Effect.raceFirst(draining.begun, rights.ended(request, tenant))
})

const streaming = { "cache-control": "no-store", "x-accel-buffering": "no", vary: "Accept" }

/**
 * Sends lines as server-sent events (WHATWG HTML, section 9.2). Each line is an event with its sequence number as `id`;
 * the last event is `end`. A stream takes memory only for lines that its client has not taken yet; it waits for it as
 * long as other answers hold all of it. It breaks off when `end` completes, see {@link streamEnd}.
 */
export const eventStream = Effect.fn("Lines.events")(function* <E, R>(
  tenant: TenantId,
  following: Effect.Effect<Stream.Stream<FollowEvent<unknown>, StorageUnreachable>, E, R>,
  end: Effect.Effect<void>
) {
  const held = yield* (yield* RequestMemory).hold(tenant, followedPage.bytes)
  held.change(0)
  const followed = yield* following
  let spokenAt = performance.now()
  const text = Stream.mapArray(followed, (news) => {
    // What was sent before has been taken.
    held.change(0)
    let events = ""
    for (const item of news) {
      if (item._tag === "Lines") for (const line of item.lines) events += `id: ${line.seq}\ndata: ${line.json}\n\n`
      else if (item._tag === "End") events += `event: end\ndata: ${JSON.stringify(item.output)}\n\n`
    }
    const now = performance.now()
    if (events === "" && now - spokenAt >= heartbeat) events = ": still running\n\n"
    if (events !== "") spokenAt = now
    return [events]
  })
  const spoken = text.pipe(
    Stream.filter((events) => events !== ""),
    // The lines, their events and the bytes of these.
    Stream.mapEffect((events) => Effect.as(held.await(3 * events.length), events)),
    Stream.interruptWhen(end)
  )
  // The initial comment sends the response head at once, even when the run is silent for long.
  return HttpServerResponse.stream(Stream.encodeText(Stream.concat(Stream.make(": it begins\n\n"), spoken)), {
    contentType: "text/event-stream",
    headers: streaming
  })
})
