import { Schema } from "effect"
import * as Predicate from "effect/Predicate"
import { pathOf } from "../../../languages/document/Pointer.ts"
import type { FetchResponse } from "../../ports/Network.ts"

/** A JSON pointer (RFC 6901); the empty one names the whole. */
const pointerPattern = /^(?:\/(?:[^~/]|~[01])*)*$/u
export const Pointer = Schema.String.check(
  Schema.isPattern(pointerPattern, { expected: "a JSON pointer such as /data/items" })
)

/** The value at a JSON pointer; undefined when there is none. */
export const valueAt = (value: unknown, pointer: string): unknown => {
  let found = value
  for (const key of pathOf(pointer)) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[key]
  }
  return found
}

const parameter = (description: string) => Schema.optionalKey(Schema.NonEmptyString.annotate({ description }))

/** How the next page is found: one of `next`, `cursor`, `offset` and `page`. */
export const PagesSetting = Schema.Struct({
  next: Schema.optionalKey(
    Schema.Union([Schema.Literal("link"), Pointer]).annotate({
      description:
        "The URL of the next page: `link` (header `Link` with `rel=next`), or a JSON pointer to it in the answer."
    })
  ),
  cursor: Schema.optionalKey(
    Pointer.annotate({ description: "JSON pointer to a text or number that the next request sends in `parameter`." })
  ),
  parameter: parameter("Parameter of the URL for `cursor`."),
  offset: parameter("Parameter of the URL for the number of records so far."),
  page: parameter("Parameter of the URL for the number of the page."),
  first_page: Schema.optionalKey(Schema.Int.annotate({ description: "The first number for `page`. Default: 1." })),
  size_parameter: parameter("Parameter of the URL for `size`."),
  size: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })).annotate({
      description: "Records of a page: one with fewer is the last one. Default: the last page is empty."
    })
  )
})
type Pages = typeof PagesSetting.Type

const kinds = ["next", "cursor", "offset", "page"] as const

/** What does not fit together, with the member. */
export const pagesFault = (pages: Pages): { readonly member?: string; readonly detail: string } | undefined => {
  const given = kinds.filter((kind) => pages[kind] !== undefined)
  if (given.length !== 1) return { detail: "Expected one of next, cursor, offset and page" }
  if ((pages.cursor === undefined) !== (pages.parameter === undefined)) {
    return { detail: "cursor and parameter belong together" }
  }
  const isCounted = pages.offset !== undefined || pages.page !== undefined
  for (const member of ["size", "size_parameter", "first_page"] as const) {
    if (pages[member] !== undefined && !isCounted) return { member, detail: "This is for offset and page" }
  }
  if (pages.size_parameter !== undefined && pages.size === undefined) return { detail: "size_parameter needs a size" }
  return undefined
}

/** The target of the first `Link` with `rel=next` (RFC 8288). */
const linked = (header: string | undefined): string | undefined => {
  for (const [, target = "", parameters = ""] of (header ?? "").matchAll(/<([^<>]*)>([^<]*)/g)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters)
    if ((rel?.[1] ?? rel?.[2] ?? "").toLowerCase().split(/\s+/).includes("next")) return target
  }
  return undefined
}

const withParameter = (url: URL, name: string, value: string | number): URL => {
  const changed = new URL(url)
  changed.searchParams.set(name, String(value))
  return changed
}

/** The URL of the first page. */
export const firstPage = (url: URL, { offset, page, first_page = 1, size, size_parameter }: Pages): URL => {
  const sized = size === undefined || size_parameter === undefined ? url : withParameter(url, size_parameter, size)
  if (offset !== undefined) return withParameter(sized, offset, 0)
  return page === undefined ? sized : withParameter(sized, page, first_page)
}

/** What was read so far: `records` in all pages, `last` in this one, which is page `number`, from 0. */
interface Progress {
  readonly url: URL
  readonly number: number
  readonly records: number
  readonly last: number
}

/** The URL of the next page; undefined after the last one. Throws when it leads to another server. */
export const nextPage = (pages: Pages, answer: FetchResponse, body: unknown, at: Progress): URL | undefined => {
  const { next, cursor, parameter: name = "", offset, page, first_page = 1, size = 1 } = pages
  if (next !== undefined) {
    const target = next === "link" ? linked(answer.headers["link"]) : valueAt(body, next)
    if (target === undefined || target === null || target === "") return undefined
    const url = Predicate.isString(target) ? URL.parse(target, at.url) : null
    if (url === null) throw new Error(`the next page is not a URL: ${JSON.stringify(target).slice(0, 100)}`)
    // The headers may have credentials, which are for this server only.
    if (url.origin !== at.url.origin) throw new Error(`the next page is on another server, ${url.host}`)
    return url
  }
  if (cursor !== undefined) {
    const value = valueAt(body, cursor)
    if (value === undefined || value === null || value === "" || value === false) return undefined
    if (typeof value !== "string" && typeof value !== "number") throw new Error(`${cursor} is not a text or number`)
    return withParameter(at.url, name, value)
  }
  if (at.last < size) return undefined
  if (offset !== undefined) return withParameter(at.url, offset, at.records)
  return page === undefined ? undefined : withParameter(at.url, page, first_page + at.number + 1)
}
