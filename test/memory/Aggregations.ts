import { Effect } from "effect"
import { compareDecimals, isRaw } from "../../src/languages/json/JsonNumbers.ts"
import { aggregationLimits, type TermKey } from "../../src/languages/query/aggregation/Aggregation.ts"
import type {
  AggregationEngine,
  Group,
  GroupBy,
  GroupKey,
  Measure
} from "../../src/languages/query/aggregation/Grouping.ts"
import { valueAt } from "../../src/languages/query/FieldName.ts"
import { latest } from "../../src/languages/query/IndexedDocument.ts"
import { instantOf } from "../../src/languages/query/Instant.ts"
import { original, storable } from "../../src/languages/query/StoredText.ts"
import { compareTexts } from "../../src/languages/query/text/TextPattern.ts"
import { holds, type StoredDocument } from "./Evaluate.ts"

/** A number without an exponent and without zeros at its ends. */
const plainDigits = (literal: string): string => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const power = Number(exponent)
  const digits = whole + fraction + "0".repeat(Math.max(0, power - fraction.length))
  const point = whole.length + power
  const [before, after] =
    point <= 0 ? ["0", "0".repeat(-point) + digits] : [digits.slice(0, point), digits.slice(point)]
  const text = `${before.replace(/^0+(?=\d)/, "")}${after.replace(/0+$/, "") === "" ? "" : `.${after.replace(/0+$/, "")}`}`
  return text === "0" ? "0" : sign + text
}

const digitsOf = (value: unknown): string | undefined =>
  typeof value === "number" ? String(value) : isRaw(value) ? value.rawJSON : undefined

export const rawAt = (document: StoredDocument, field: string): unknown => {
  if (field === "_id") return document.id
  if (field === "_index") return document.index
  if (field === "@timestamp") return document.at === latest ? undefined : Number(document.at)
  return valueAt(document.value, field.split(".").map(storable), true) ?? undefined
}

export const elementsOf = (value: unknown): ReadonlyArray<unknown> =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

export const scalarKey = (value: unknown, longest = aggregationLimits.term): TermKey | undefined => {
  const digits = digitsOf(value)
  if (digits !== undefined) {
    const plain = plainDigits(digits)
    return plain.length > longest ? undefined : { _tag: "number", digits: plain }
  }
  if (typeof value === "boolean") return { _tag: "boolean", value }
  return typeof value === "string" && [...value].length <= longest ? { _tag: "text", text: original(value) } : undefined
}

const keysOf = (document: StoredDocument, by: GroupBy): ReadonlyArray<GroupKey> => {
  const raw = rawAt(document, by.field)
  if (by._tag === "dates") {
    const time = instantOf(digitsOf(raw) === undefined ? raw : Math.floor(Number(digitsOf(raw))))
    if (time === undefined) return []
    const after = by.starts.findIndex((start) => start > time)
    const place = (after === -1 ? by.starts.length : after) - 1
    return place < 0 ? [] : [place]
  }
  if (raw === undefined && by.missing !== undefined) return [by.missing]
  const keys = new Map(
    elementsOf(raw)
      .flatMap((value) => scalarKey(value) ?? [])
      .map((key) => [JSON.stringify(key), key])
  )
  return [...keys.values()]
}

const numberOf = (value: unknown): ReadonlyArray<number> => {
  const digits = digitsOf(value)
  if (digits === undefined) return []
  const number = Number(digits)
  return number === 0 && compareDecimals(digits, "0") === 0
    ? [0]
    : Math.abs(number) >= 1e-300 && Math.abs(number) <= 1e300
      ? [number]
      : []
}

const isScalar = (value: unknown): boolean =>
  digitsOf(value) !== undefined || typeof value === "string" || typeof value === "boolean"

const percentile = (sorted: ReadonlyArray<number>, percent: number): number | null => {
  if (sorted.length === 0) return null
  const at = (percent / 100) * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return low + (at - Math.floor(at)) * (high - low)
}

const measured = (
  documents: ReadonlyArray<StoredDocument>,
  { field, of, percents = [] }: Measure
): Group["values"][number] => {
  const values = documents.flatMap((document) => elementsOf(rawAt(document, field)))
  const numbers = values.flatMap(numberOf)
  const sum = numbers.reduce((total, value) => total + value, 0)
  switch (of) {
    case "values":
      return values.filter(isScalar).length
    case "cardinality":
      return new Set(
        values.filter(isScalar).map((value) => {
          const digits = digitsOf(value)
          return digits === undefined ? JSON.stringify(value) : plainDigits(digits)
        })
      ).size
    case "count":
      return numbers.length
    case "sum":
      return numbers.length === 0 ? null : sum
    case "avg":
      return numbers.length === 0 ? null : sum / numbers.length
    case "min":
      return numbers.length === 0 ? null : numbers.reduce((a, b) => Math.min(a, b))
    case "max":
      return numbers.length === 0 ? null : numbers.reduce((a, b) => Math.max(a, b))
    case "percentiles": {
      const sorted = numbers.toSorted((a, b) => a - b)
      return percents.map((percent) => percentile(sorted, percent))
    }
  }
}

const types = ["number", "text", "boolean"]

export const compareKeys = (a: GroupKey, b: GroupKey, way: 1 | -1): number => {
  if (typeof a === "number" || typeof b === "number") return Number(a) - Number(b)
  if (a._tag !== b._tag) return types.indexOf(a._tag) - types.indexOf(b._tag)
  if (a._tag === "number" && b._tag === "number") return way * compareDecimals(a.digits, b.digits)
  if (a._tag === "text" && b._tag === "text") return way * compareTexts(storable(a.text), storable(b.text))
  return a._tag === "boolean" && b._tag === "boolean" ? way * (Number(a.value) - Number(b.value)) : 0
}

/** Groups documents in this process's memory. */
export const engineOn = (documents: ReadonlyArray<StoredDocument>): AggregationEngine<never> => ({
  groups: ({ query, by, measures, within, top }) =>
    Effect.sync(() => {
      const found = new Map<
        string,
        { readonly keys: ReadonlyArray<GroupKey>; readonly documents: Array<StoredDocument> }
      >()
      if (by.length === 0) found.set("[]", { keys: [], documents: [] })
      const wanted = within && new Set(within.map((keys) => JSON.stringify(keys)))
      const width = within?.[0]?.length
      for (const document of documents) {
        if (!holds(query, document)) continue
        const paths = by.reduce<ReadonlyArray<ReadonlyArray<GroupKey>>>(
          (paths, group) => paths.flatMap((path) => keysOf(document, group).map((key) => [...path, key])),
          [[]]
        )
        for (const keys of paths) {
          if (wanted !== undefined && !wanted.has(JSON.stringify(keys.slice(0, width)))) continue
          const path = JSON.stringify(keys)
          const group = found.get(path) ?? { keys, documents: [] }
          found.set(path, group)
          group.documents.push(document)
        }
      }
      const all = [...found.values()].map(({ keys, documents }) => ({
        keys,
        documents: documents.length,
        values: measures.map((measure) => measured(documents, measure))
      }))
      return [...Map.groupBy(all, ({ keys }) => JSON.stringify(keys.slice(0, -1))).values()].flatMap((groups) => {
        const total = groups.reduce((sum, { documents }) => sum + documents, 0)
        const withTotal = groups.map((group): Group => ({ ...group, total }))
        if (top === undefined) return withTotal
        const way = top.descending ? -1 : 1
        const { by: first } = top
        const compare = (a: Group, b: Group): number => {
          const [one, other] = [a.keys.at(-1)!, b.keys.at(-1)!]
          if (first === "key") return compareKeys(one, other, way)
          if (first === "count") return way * (a.documents - b.documents) || compareKeys(one, other, 1)
          const [left, right] = [a.values[first], b.values[first]]
          if (typeof left !== "number" || typeof right !== "number") {
            return Number(typeof left !== "number") - Number(typeof right !== "number") || compareKeys(one, other, 1)
          }
          return way * (left - right) || compareKeys(one, other, 1)
        }
        return withTotal
          .filter(({ documents }) => documents >= top.least)
          .sort(compare)
          .slice(0, top.size)
      })
    }),
  times: (query, field) =>
    Effect.sync(() => {
      const times = documents
        .filter((document) => field === "@timestamp" || holds(query, document))
        .flatMap((document) => {
          const raw = rawAt(document, field)
          return instantOf(digitsOf(raw) === undefined ? raw : Math.floor(Number(digitsOf(raw)))) ?? []
        })
      return times.length === 0
        ? undefined
        : { from: times.reduce((a, b) => Math.min(a, b)), to: times.reduce((a, b) => Math.max(a, b)) }
    })
})
