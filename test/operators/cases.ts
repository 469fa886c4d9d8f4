import { readFileSync } from "node:fs"
import type { Fields } from "../../src/languages/FieldPath.ts"

export interface GrokCase {
  readonly id: string
  readonly kind: "simple" | "filter" | "timeout" | "compile_error" | "compile_ok"
  readonly patterns: "legacy" | "ecs-v1" | "none"
  readonly dialect?: string
  readonly pattern?: string
  readonly input?: string
  readonly pattern_definitions?: Readonly<Record<string, string>>
  readonly match?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly options?: Readonly<Record<string, unknown>>
  readonly event?: Fields
  readonly timeout_ms?: number
  /** `whole bank`: definitions that the pattern does not reach count too. */
  readonly validate?: string
  readonly expected: {
    readonly matched?: boolean
    readonly captures?: Fields
    readonly captures_subset?: Fields
    readonly event?: Fields
    readonly logstash_event?: Fields
    readonly error?: string
  }
}

export interface DissectCase {
  readonly id: string
  readonly dialect: "elasticsearch" | "logstash" | "beats"
  readonly pattern: string
  readonly input: string | ReadonlyArray<string>
  readonly append_separator?: string
  readonly expected?: Fields
  /** A result for each of several inputs, or the results that one input may have. */
  readonly expected_list?: ReadonlyArray<Fields>
  readonly expected_fields?: ReadonlyArray<string>
  readonly fail?: "no_match" | "bad_pattern" | "any" | "field_error"
}

const read = <Case>(name: string): ReadonlyArray<Case> =>
  JSON.parse(readFileSync(new URL(`../data/${name}`, import.meta.url), "utf8")).cases

export const grokCases: ReadonlyArray<GrokCase> = read("grok.json")
export const dissectCases: ReadonlyArray<DissectCase> = read("dissect.json")

/** Nested objects as dotted names, the way the cases write captures. */
export const flatten = (fields: Fields, prefix = ""): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.entries(flatten(value as Fields, `${prefix}${key}.`))
        : [[prefix + key, value]]
    )
  )
