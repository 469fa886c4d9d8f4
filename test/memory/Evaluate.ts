import * as Predicate from "effect/Predicate"
import { compareDecimals, isRaw } from "../../src/languages/json/JsonNumbers.ts"
import { addressOf } from "../../src/languages/query/Address.ts"
import { cuts, members } from "../../src/languages/query/FieldName.ts"
import { instantOf } from "../../src/languages/query/Instant.ts"
import { each, type FieldName, type Limits, type Query, type Values } from "../../src/languages/query/Query.ts"
import { storable } from "../../src/languages/query/StoredText.ts"
import { compareTexts, fieldNames } from "../../src/languages/query/text/TextPattern.ts"
import { fits, isNear } from "./Nearness.ts"

/** A stored document. Its texts are encoded by `StoredText.ts`. */
export interface StoredDocument {
  readonly id: string
  readonly index: string
  /** The position in the result order. */
  readonly at: string
  /** The value of its JSON, as `readRaw` reads it. */
  readonly value: unknown
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !isRaw(value)

/** The digits of a number. */
const digitsOf = (value: unknown): string | undefined =>
  typeof value === "number" ? String(value) : isRaw(value) ? value.rawJSON : undefined

/** The largest integer that is not greater than the number. */
const floorOf = (digits: string): number => {
  const floor = Math.floor(Number(digits))
  return compareDecimals(String(floor), digits) > 0 ? floor - 1 : floor
}

const below = (value: unknown): ReadonlyArray<unknown> =>
  !Predicate.isObjectOrArray(value) || isRaw(value) ? [value] : [value, ...Object.values(value).flatMap(below)]

/**
 * The values of a field: the members of that name. Lists are replaced by their elements, and so are lists directly in
 * them.
 */
const valuesOf = (document: unknown, field: FieldName): ReadonlyArray<unknown> => {
  if (field === "*") return below(document).flat(2)
  const names = cuts(field.split(".").map(storable))
  return names.flatMap((cut) => cut.reduce(members, [document] as ReadonlyArray<unknown>)).flat(2)
}

/** The values of each field by its dotted name, through all lists. */
const fieldsOf = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<readonly [string, unknown]> => {
  if (isLeaf(value)) return [[path.join("."), value]]
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, path))
  return isObject(value) ? Object.entries(value).flatMap(([name, one]) => fieldsOf(one, [...path, name])) : []
}

const isAmong = ({ texts, numbers, booleans }: Values) => {
  const kept = new Set<unknown>([...texts.map(storable), ...booleans])
  return (value: unknown) => {
    const digits = digitsOf(value)
    if (digits === undefined) return kept.has(value)
    return numbers.some((number) => compareDecimals(number, digits) === 0)
  }
}

const lies = <A>(value: A, limits: Limits, read: (limit: string) => A, compare: (a: A, b: A) => number): boolean => {
  const { gt, gte, lt, lte } = limits
  return (
    (gt === undefined || compare(value, read(gt)) > 0) &&
    (gte === undefined || compare(value, read(gte)) >= 0) &&
    (lt === undefined || compare(value, read(lt)) < 0) &&
    (lte === undefined || compare(value, read(lte)) <= 0)
  )
}

const texts =
  (holds: (text: string) => boolean) =>
  (value: unknown): boolean =>
    typeof value === "string" && holds(value)

const isLeaf = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value) || isRaw(value)

/** Whether a document matches a query. `found`: the values of the field that {@link each} names. */
export const holds = (
  query: Query,
  document: StoredDocument & { readonly found?: ReadonlyArray<unknown> | undefined }
): boolean => {
  const any = (field: FieldName, condition: (value: unknown) => boolean) => {
    if (field === each) return (document.found ?? []).some(condition)
    if (field === "_id" || field === "_index") return condition(field === "_id" ? document.id : document.index)
    return valuesOf(document.value, field).some(condition)
  }
  switch (query._tag) {
    case "All":
      return true
    case "None":
      return false
    case "Bool": {
      let count = 0
      for (const one of query.should) if (holds(one, document)) count++
      return (
        count >= query.minimum &&
        query.must.every((one) => holds(one, document)) &&
        !query.mustNot.some((one) => holds(one, document))
      )
    }
    case "Fields": {
      const values = new Map<string, Array<unknown>>()
      for (const [name, value] of fieldsOf(document.value)) {
        if (!fits(fieldNames(query.pattern), name)) continue
        const known = values.get(name)
        if (known === undefined) values.set(name, [value])
        else known.push(value)
      }
      return [...values.values()].some((found) => holds(query.query, { ...document, found }))
    }
    case "Ids":
      return query.ids.some((id) => storable(id) === document.id)
    case "Exists":
      return any(query.field, (value) => below(value).some(isLeaf))
    case "Equals":
      return any(query.field, isAmong(query.values))
    case "Prefix": {
      const prefix = storable(query.prefix)
      return any(
        query.field,
        texts((text) => text.startsWith(prefix))
      )
    }
    case "Matches":
      return any(
        query.field,
        texts((text) => fits(query.pattern, text))
      )
    case "Words":
      return any(
        query.field,
        texts((text) => isNear(text, query.patterns, query.slop))
      )
    case "Addresses":
      return any(
        query.field,
        texts((text) => {
          const address = addressOf(text)
          return address !== undefined && query.ranges.some(({ from, to }) => address >= from && address <= to)
        })
      )
    case "Numbers":
      return any(query.field, (value) => {
        const digits = digitsOf(value)
        return digits !== undefined && lies(digits, query.limits, (limit) => limit, compareDecimals)
      })
    case "Texts":
      return any(
        query.field,
        texts((text) => lies(text, query.limits, storable, compareTexts))
      )
    case "Dates": {
      const { field, from, to } = query
      if (field === "@timestamp") return Number(document.at) >= from && Number(document.at) <= to
      return any(field, (value) => {
        const millis = instantOf(isRaw(value) ? floorOf(value.rawJSON) : value)
        return millis !== undefined && millis >= from && millis <= to
      })
    }
  }
}
