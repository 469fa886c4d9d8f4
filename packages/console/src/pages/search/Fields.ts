import type { gateway } from "../../app/gateway.ts"

export type Field = Awaited<ReturnType<typeof gateway.search.fields>>["fields"][number]

/** A field name, escaped for query texts. */
export const escapedField = (name: string): string => name.replace(/[\s:\\"()[\]{}^~*?+!&|/-]/g, (one) => `\\${one}`)

/** A value for query texts: in quotes unless it is a single word. */
export const quoted = (value: string, always = false): string =>
  !always && /^[\p{L}\p{N}_.]+$/u.test(value) && !["AND", "OR", "NOT", "TO"].includes(value)
    ? value
    : `"${value.replace(/[\\"]/g, (one) => `\\${one}`)}"`

interface Bucket {
  readonly key: string | number | boolean
  readonly key_as_string?: string
  readonly doc_count: number
}

/** The buckets of a `terms` aggregation. */
export const bucketsOf = (aggregation: unknown): ReadonlyArray<Bucket> =>
  (Object(aggregation) as { readonly buckets?: ReadonlyArray<Bucket> }).buckets ?? []

/** The value of a bucket: the keys of booleans are numbers. */
export const valueOfBucket = ({ key, key_as_string }: Bucket): string | number | boolean =>
  key_as_string === "true" ? true : key_as_string === "false" ? false : key
