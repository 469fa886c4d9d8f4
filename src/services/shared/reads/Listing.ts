import { Result, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { queryText, wholeNumber } from "../requests/Parameters.ts"

/** A cursor: the name of its list, and the key of the last entry before it. */
const Cursor = Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String]))
const decodeCursor = Schema.decodeUnknownResult(Cursor)

/** Makes the cursor after the entry with this key. */
export const encodeCursor = (list: string, key: string): string => Base64Url.encode(JSON.stringify([list, key]))

/** The list and the key of a cursor; undefined when it is none. */
export const readCursor = (cursor: string): readonly [list: string, key: string] | undefined =>
  Result.getOrUndefined(Result.flatMap(Base64Url.decodeString(cursor), decodeCursor))

export const expectedCursor = "a cursor from a Link header"

/** The query of a list. Without `limit` the whole list is streamed. `cursor` comes from a `Link` header. */
export const pageQuery = {
  limit: Schema.optionalKey(
    wholeNumber(
      { minimum: 1, maximum: 10_000 },
      {
        description: "Number of entries per page; the `Link` header contains the URL of the next page. All by default",
        example: 100
      }
    )
  ),
  cursor: Schema.optionalKey(
    queryText(2048, { description: "Where the page begins, from a `Link` header" }).check(
      Schema.makeFilter((cursor: string) => readCursor(cursor) !== undefined, { expected: expectedCursor })
    )
  )
}
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** Number of bytes after which a page ends, whatever its `limit`; it has a cursor then. */
export const pageBytes = 4 * 1024 * 1024

/** A list entry as JSON text, with its sort key. Keys consist of digits unless the list documents otherwise. */
export interface ListRow {
  readonly key: string
  readonly json: string
}

/** The requested range of a list: at most `limit` rows with keys after `after`. */
export interface ListSpan {
  readonly after: string | undefined
  readonly limit: number | undefined
}
