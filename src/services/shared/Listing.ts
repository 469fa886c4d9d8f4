import { Schema } from "effect"
import { QueryText } from "./QueryText.ts"

/** The query of a list. Without `limit` the whole list is streamed. `cursor` comes from a `Link` header. */
export const pageQuery = {
  limit: Schema.optionalKey(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
      description: "Number of entries per page, 1 to 10000; the Link header contains the URL of the next page"
    })
  ),
  cursor: Schema.optionalKey(QueryText.check(Schema.isMaxLength(2048)))
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
