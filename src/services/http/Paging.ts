import { Effect, Exit, Scope, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../errors/BadRequest.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { RequestMemory } from "../shared/capacity/RequestMemory.ts"
import { CoalescedReads } from "../shared/reads/CoalescedReads.ts"
import {
  encodeCursor,
  expectedCursor,
  type ListRow,
  type ListSpan,
  type PageQuery,
  pageBytes,
  readCursor
} from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { jsonArray, listBytes, type PreparedText, readText, textResponse } from "./JsonText.ts"
import { readAhead } from "./ReadAhead.ts"

/** The format of keys in lists that are ordered by creation. */
const ordinals = /^\d{1,18}$/

/** The key of a cursor of this list. */
const decodeCursor = (list: string, keys: RegExp, cursor: string): Effect.Effect<string, BadRequest> => {
  const read = readCursor(cursor)
  if (read?.[0] === list && keys.test(read[1])) return Effect.succeed(read[1])
  return new BadRequest({
    detail: "The cursor does not belong to this list",
    issues: [{ part: "query", pointer: "/cursor", detail: `Expected ${expectedCursor}` }]
  })
}

/** The key after which a list starts: that of the cursor. */
export const listStart = (list: string, { cursor }: PageQuery, keys: RegExp = ordinals) =>
  cursor === undefined ? Effect.undefined : decodeCursor(list, keys, cursor)

const nextLink = (url: string, limit: number, cursor: string): string => {
  const [path, given] = url.split("?")
  const query = new URLSearchParams(given)
  query.set("limit", String(limit))
  query.set("cursor", cursor)
  return `<${path}?${query}>; rel="next"`
}

/** Bytes up to which a list without `limit` is answered at once, with a length and a tag; a longer one is streamed. */
const wholeBytes = 1024 * 1024

/** A list, or a page of it: in memory, or longer than what is kept there. */
type Listed<E> =
  | { readonly _tag: "Whole"; readonly text: PreparedText }
  | { readonly _tag: "Longer"; readonly all: Stream.Stream<ListRow, E> }

/** Reads all of a list, as far as it is kept in memory. */
const readAll = <E, R>(tenant: TenantId, rows: Stream.Stream<ListRow, E, R>) =>
  Effect.gen(function* (): Effect.fn.Return<Listed<E>, E | Overloaded, R | RequestMemory | Scope.Scope> {
    const held = yield* (yield* RequestMemory).hold(tenant, listBytes)
    const found = yield* readAhead(rows, wholeBytes, ({ json }) => json.length)
    if (found._tag === "Longer") return found
    return {
      _tag: "Whole",
      text: yield* readText(`[${found.items.map((row) => row.json).join(",")}]`, held, undefined)
    }
  })

/** Reads a page. */
const readPage = <E, R>(
  tenant: TenantId,
  limit: number,
  rows: Stream.Stream<ListRow, E, R>,
  linkAfter: (key: string) => string
) =>
  Effect.gen(function* (): Effect.fn.Return<Listed<E>, E | Overloaded, R | RequestMemory | Scope.Scope> {
    const held = yield* (yield* RequestMemory).hold(tenant, 2 * pageBytes)
    let bytes = 0
    let isOver = false
    const fitting = Stream.takeWhile(rows, ({ json }) => {
      isOver = bytes > 0 && bytes + json.length > pageBytes
      bytes += json.length
      return !isOver
    })
    const found = yield* Stream.runCollect(fitting)
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const link = (isOver || found.length > limit) && last !== undefined ? linkAfter(last.key) : undefined
    return { _tag: "Whole", text: yield* readText(`[${page.map((row) => row.json).join(",")}]`, held, link) }
  })

/**
 * Answers a list as a JSON array: as a whole in bounded memory, or as a page with a `Link` to the next one. Requests
 * for the same URL share what is read, and its memory.
 *
 * `list` is the name of the list, so that a cursor of another list is rejected; `rows` reads the list from its store;
 * `keys` is the format of the row keys.
 */
export const listResponse = <E, R>(
  list: string,
  tenant: TenantId,
  query: PageQuery,
  rows: (span: ListSpan) => Stream.Stream<ListRow, E, R>,
  keys: RegExp = ordinals
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | BadRequest | Overloaded,
  R | CoalescedReads | RequestMemory | Scope.Scope | HttpServerRequest.HttpServerRequest
> =>
  Effect.gen(function* () {
    const after = yield* listStart(list, query, keys)
    const request = yield* HttpServerRequest.HttpServerRequest
    const { limit } = query
    const read =
      limit === undefined
        ? readAll(tenant, rows({ after, limit }))
        : readPage(tenant, limit, rows({ after, limit: limit + 1 }), (key) =>
            nextLink(request.url, limit, encodeCursor(list, key))
          )
    const shared = yield* Scope.fork(yield* Effect.scope)
    const { value, isFirst } = yield* Scope.provide((yield* CoalescedReads).share(request.url, read), shared)
    // A stream can be read only once: the other requests release the share and read for themselves.
    const isAlone = value._tag === "Longer" && !isFirst
    if (isAlone) yield* Scope.close(shared, Exit.void)
    const listed = isAlone ? yield* read : value
    return listed._tag === "Whole"
      ? textResponse(request, listed.text)
      : HttpServerResponse.stream(jsonArray(listed.all, "[", "]"), { contentType: "application/json" })
  })
