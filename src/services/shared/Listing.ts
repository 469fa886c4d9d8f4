import { Schema } from "effect"

/** Query of a list. Without `limit` the whole list is streamed; `cursor` is what a `Link` header gave. */
export const pageQuery = {
  limit: Schema.optionalKey(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
      description: "Entries of a page, 1 to 10000; the Link header leads to the next page"
    })
  ),
  cursor: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2048)))
}
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** An entry of a list, as JSON text, with the key that orders the list: digits, unless the list says otherwise. */
export interface ListRow {
  readonly key: string
  readonly json: string
}

/** What a store is asked for: the rows whose key comes after `after`, at most `limit` of them. */
export interface ListSpan {
  readonly after: string | undefined
  readonly limit: number | undefined
}
