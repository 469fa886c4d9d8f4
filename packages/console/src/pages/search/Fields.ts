import type { gateway } from "../../app/gateway.ts"

export type Field = Awaited<ReturnType<typeof gateway.search.fields>>["fields"][number]

/** A name as query texts take it. */
export const escapedField = (name: string): string => name.replace(/[\s:\\"()[\]{}^~*?+!&|/-]/g, (one) => `\\${one}`)

/** A value as query texts take it: in quotes unless it is one word. */
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

/** The value of a bucket: booleans have numbers for keys. */
export const valueOfBucket = ({ key, key_as_string }: Bucket): string | number | boolean =>
  key_as_string === "true" ? true : key_as_string === "false" ? false : key
