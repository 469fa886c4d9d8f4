import { Schema } from "effect"
import { wholeNumber } from "./Parameters.ts"
import { queryText } from "./QueryText.ts"

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
  cursor: Schema.optionalKey(queryText(2048, { description: "Where the page begins, from a `Link` header" }))
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
