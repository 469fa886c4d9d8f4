import { Predicate, Result } from "effect"
import { durationMillis } from "../../DurationText.ts"
import type { Issue } from "../../Issue.ts"
import { isRaw } from "../../json/JsonNumbers.ts"
import { listed, suggestion } from "../../Suggest.ts"
import { zoneOffset } from "../DateMath.ts"
import { fieldOf, Place } from "../parse/ValueReader.ts"
import { parseQuery } from "../QueryParser.ts"
import {
  type Aggregation,
  aggregationLimits,
  type Bucket,
  type CalendarUnit,
  type Interval,
  isBucket,
  type Metric,
  type Order,
  type Simple,
  type TermKey
} from "./Aggregation.ts"

/** What buckets can be ordered by besides their count and key, by its name in a request. */
type Orders = ReadonlyMap<string, Extract<Order["by"], { readonly _tag: "metric" }>>

type Parse = (place: Place, inner: Orders) => Bucket | Metric | undefined

const field = (members: ReadonlyMap<string, Place>, place: Place): string | undefined => {
  const given = members.get("field")
  if (given === undefined) return place.fault('Expected a "field"')
  const name = given.text()
  return name === undefined ? undefined : fieldOf(given, name)
}

const simple =
  (name: Simple): Parse =>
  (place) => {
    const members = place.members(["field"])
    const found = members && field(members, place)
    return found === undefined ? undefined : { _tag: name, field: found }
  }

const defaultPercents = [1, 5, 25, 50, 75, 95, 99]

const percentiles: Parse = (place) => {
  const members = place.members(["field", "percents", "keyed"])
  const found = members && field(members, place)
  const given = members?.get("percents")
  const keyed = members?.get("keyed")
  const isKeyed = keyed === undefined ? true : keyed.flag()
  const percents = given === undefined ? defaultPercents : percentsOf(given)
  if (found === undefined || percents === undefined || isKeyed === undefined) return undefined
  return { _tag: "percentiles", field: found, percents, keyed: isKeyed }
}

const percentsOf = (place: Place): ReadonlyArray<number> | undefined => {
  const all = (place.list() ?? []).map((one) => {
    const { value } = one
    if (typeof value === "number" && value >= 0 && value <= 100) return value
    return one.fault("Expected a number from 0 to 100")
  })
  const most = aggregationLimits.percents
  if (all.length === 0 || all.length > most) return place.fault(`Expected 1 to ${most} numbers`)
  return all.flatMap((one) => one ?? [])
}

/** The key that a value of a document or of a request stands for; undefined when it is none. */
export const keyOf = (value: unknown): TermKey | undefined => {
  if (typeof value === "string") return { _tag: "text", text: value }
  if (typeof value === "boolean") return { _tag: "boolean", value }
  if (isRaw(value)) return { _tag: "number", digits: value.rawJSON }
  return typeof value === "number" ? { _tag: "number", digits: String(value) } : undefined
}

const byCount: Order = { by: { _tag: "count" }, descending: true }
const byKey: Order = { by: { _tag: "key" }, descending: false }

/** The order `{ "_count": "desc" }`; `metrics` are the names that it may mention besides. */
const order = (place: Place | undefined, usual: Order, metrics: Orders): Order | undefined => {
  if (place === undefined) return usual
  const only = Array.isArray(place.value) && place.value.length === 1 ? place.at(0, place.value[0]) : place
  const [name, direction] = only.only("order") ?? []
  if (name === undefined || direction === undefined) return undefined
  const way = direction.oneOf(["asc", "desc"])
  if (way === undefined) return undefined
  const descending = way === "desc"
  if (name === "_count") return { by: { _tag: "count" }, descending }
  if (name === "_key") return { by: { _tag: "key" }, descending }
  const by = metrics.get(name)
  if (by !== undefined) return { by, descending }
  const known = ["_count", "_key", ...metrics.keys()]
  return direction.fault(
    `Buckets can be ordered by ${listed(known)}: a metric is min, max, sum, avg, value_count, cardinality, or one of percentiles such as p.95${suggestion(name, known)}`
  )
}

const terms: Parse = (place, metrics) => {
  const members = place.members(["field", "size", "order", "min_doc_count", "missing"])
  if (members === undefined) return undefined
  const found = field(members, place)
  const most = aggregationLimits.terms
  const size = members.has("size") ? members.get("size")?.count(most) : 10
  const least = members.has("min_doc_count") ? members.get("min_doc_count")?.count() : 1
  const ordered = order(members.get("order"), byCount, metrics)
  const given = members.get("missing")
  const missing = given?.scalar()
  if (size === 0) return members.get("size")?.fault(`Expected a whole number from 1 to ${most}`)
  if (least === 0)
    return members.get("min_doc_count")?.fault("Expected at least 1: a term without documents is unknown")
  if (found === undefined || size === undefined || least === undefined || ordered === undefined) return undefined
  if (given !== undefined && missing === undefined) return undefined
  return { _tag: "terms", field: found, size, order: ordered, least, missing: keyOf(missing) }
}

const calendar: Readonly<Record<string, CalendarUnit>> = {
  minute: "minute",
  "1m": "minute",
  hour: "hour",
  "1h": "hour",
  day: "day",
  "1d": "day",
  week: "week",
  "1w": "week",
  month: "month",
  "1M": "month",
  quarter: "quarter",
  "1q": "quarter",
  year: "year",
  "1y": "year"
}

const interval = (members: ReadonlyMap<string, Place>, place: Place): Interval | undefined => {
  const [byCalendar, fixed] = [members.get("calendar_interval"), members.get("fixed_interval")]
  if (byCalendar !== undefined && fixed === undefined) {
    const text = byCalendar.text()
    if (text === undefined) return undefined
    const unit = Object.hasOwn(calendar, text) ? calendar[text] : undefined
    if (unit !== undefined) return { _tag: "calendar", unit }
    return byCalendar.fault(`Expected ${listed(Object.keys(calendar))}; other lengths are a fixed_interval`)
  }
  if (fixed !== undefined && byCalendar === undefined) {
    const text = fixed.text()
    if (text === undefined) return undefined
    const millis = /^\d{1,12}\D/.test(text) ? durationMillis(text) : Number.NaN
    if (millis >= 1 && millis <= 1e13) return { _tag: "fixed", millis }
    return fixed.fault("Expected a length such as 30s, 5m, 12h or 7d; weeks, months and years are a calendar_interval")
  }
  return place.fault("Expected either calendar_interval, such as day, or fixed_interval, such as 5m")
}

const dateHistogram: Parse = (place, metrics) => {
  const members = place.members(["field", "calendar_interval", "fixed_interval", "time_zone", "min_doc_count", "order"])
  if (members === undefined) return undefined
  const found = field(members, place)
  const length = interval(members, place)
  const zone = members.get("time_zone")
  const name = zone?.text()
  const offset = zone === undefined ? () => 0 : name === undefined ? undefined : zoneOffset(name)
  if (name !== undefined && offset === undefined) zone?.fault("Unknown time zone")
  const least = members.has("min_doc_count") ? members.get("min_doc_count")?.count() : 0
  const ordered = order(members.get("order"), byKey, metrics)
  if (found === undefined || length === undefined || offset === undefined) return undefined
  if (least === undefined || ordered === undefined) return undefined
  return { _tag: "date_histogram", field: found, interval: length, offset, least, order: ordered }
}

const filter: Parse = (place) => {
  const parsed = parseQuery(place.value, place.now, place.pointer)
  if (Result.isSuccess(parsed)) return { _tag: "filter", query: parsed.success }
  for (const { pointer, detail } of parsed.failure) place.faultAt(pointer ?? place.pointer, detail)
  return undefined
}

const kinds: ReadonlyMap<string, Parse> = new Map([
  ["terms", terms],
  ["date_histogram", dateHistogram],
  ["filter", filter],
  ["percentiles", percentiles],
  ...(["min", "max", "sum", "avg", "stats", "value_count", "cardinality"] as const).map(
    (name) => [name, simple(name)] as const
  )
])

/** What to use in place of Elasticsearch's other aggregations. */
const instead: ReadonlyMap<string, string> = new Map([
  ["count", "use value_count, or the doc_count of a bucket"],
  ["filters", "use several aggregations filter"],
  ["extended_stats", "use stats"],
  ["auto_date_histogram", "use date_histogram with a fixed_interval"],
  ["top_hits", "search with a filter for the bucket, size and sort"],
  ["composite", "use terms or date_histogram in one another"],
  ["range", "use several aggregations filter with range"],
  ["date_range", "use several aggregations filter with range"],
  ["histogram", "use several aggregations filter with range"]
])

/** Metrics with one value. */
const single = new Set(["min", "max", "sum", "avg", "value_count", "cardinality"])

/** The names by which Elasticsearch calls a percentile: with and without a decimal. */
const percentNames = (name: string, percent: number): ReadonlyArray<string> =>
  Number.isInteger(percent) ? [`${name}.${percent}`, `${name}.${percent}.0`] : [`${name}.${percent}`]

const ordersOf = (value: unknown): Orders =>
  new Map(
    (Predicate.isObject(value) ? Object.entries(value) : []).flatMap(([name, one]) => {
      if (!Predicate.isObject(one)) return []
      const metric = { _tag: "metric" as const, name }
      if (Object.keys(one).some((kind) => single.has(kind))) return [[name, metric] as const]
      if (!Predicate.isObject(one.percentiles)) return []
      const { percents = defaultPercents } = one.percentiles
      return (Array.isArray(percents) ? percents.slice(0, aggregationLimits.percents) : []).flatMap(
        (percent: unknown) =>
          typeof percent === "number"
            ? percentNames(name, percent).map((text) => [text, { ...metric, percent }] as const)
            : []
      )
    })
  )

interface Counted {
  left: number
}

const parseAll = (place: Place, depth: number, counted: Counted): ReadonlyArray<Aggregation> => {
  if (!Predicate.isObject(place.value)) {
    place.fault("Expected an object of aggregations by name")
    return []
  }
  return Object.entries(place.value).flatMap(([name, value]) => {
    const one = place.at(name, value)
    counted.left--
    if (counted.left === -1) one.fault(`A request has at most ${aggregationLimits.names} aggregations`)
    return counted.left < 0 ? [] : (parseOne(name, one, depth, counted) ?? [])
  })
}

const parseOne = (name: string, place: Place, depth: number, counted: Counted): Aggregation | undefined => {
  if (name === "" || name.length > 200 || /[[\]>]/.test(name)) {
    return place.fault("A name has 1 to 200 characters, none of them [, ] or >")
  }
  if (!Predicate.isObject(place.value)) return place.fault("Expected an object with the kind of the aggregation")
  const entries = Object.entries(place.value).filter(([key]) => key !== "meta")
  const nested = entries.filter(([key]) => key === "aggs" || key === "aggregations")
  const [first, second] = entries.filter(([key]) => key !== "aggs" && key !== "aggregations")
  if (first === undefined || second !== undefined || nested.length > 1) {
    return place.fault(`Expected exactly one kind of aggregation: ${listed(kinds.keys())}`)
  }
  const [kind, settings] = first
  const at = place.at(kind, settings)
  const parse = kinds.get(kind)
  if (parse === undefined) {
    const cure = instead.get(kind)
    if (cure !== undefined) return at.fault(`The aggregation ${JSON.stringify(kind)} is not supported: ${cure}`)
    const known = [...kinds.keys()]
    return at.fault(
      `Unknown aggregation ${JSON.stringify(kind)}${suggestion(kind, known) || `; there is ${listed(known)}`}`
    )
  }
  const [key, members] = nested[0] ?? []
  const parsed = parse(at, ordersOf(members))
  if (parsed === undefined) return undefined
  const isAround = isBucket(parsed)
  if (isAround && depth >= aggregationLimits.buckets) {
    return at.fault(`Buckets can be ${aggregationLimits.buckets} deep; metrics can be in each of them`)
  }
  if (key === undefined) return { name, pointer: place.pointer, kind: parsed, inner: [] }
  const within = place.at(key, members)
  if (!isAround) return within.fault(`There can be no aggregations in ${kind}, which makes no buckets`)
  return { name, pointer: place.pointer, kind: parsed, inner: parseAll(within, depth + 1, counted) }
}

/**
 * Parses Elasticsearch's aggregations.
 *
 * @param now epoch milliseconds of `now` in date math @returns the aggregations, or all faults, with JSON pointers below
 * `pointer`
 */
export const parseAggregations = (
  value: unknown,
  now: number,
  pointer: string
): Result.Result<ReadonlyArray<Aggregation>, ReadonlyArray<Issue>> => {
  const place = new Place(value, now, pointer)
  const found = parseAll(place, 0, { left: aggregationLimits.names })
  return place.issues.length > 0 ? Result.fail(place.issues) : Result.succeed(found)
}
