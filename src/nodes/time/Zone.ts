import { offsetMinutes } from "./Calendar.ts"

/** Converts a local time, in milliseconds as if it were UTC, to epoch milliseconds. */
export type Zone = (local: number) => number

/** Local times are UTC. */
export const utc: Zone = (local) => local

const fixed = (minutes: number): Zone => (minutes === 0 ? utc : (local) => local - minutes * 60_000)

/** The names of zones that are cached; the text of a record may hold any. */
const maxZones = 1000
/** Quarters of an hour whose offset is cached. */
const maxQuarters = 10_000
const quarter = 900_000

/** The offset of a named zone from UTC at a moment, in milliseconds. Throws a `RangeError` for unknown names. */
const offsetOf = (name: string): ((millis: number) => number) => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" })
  const read = (millis: number): number => {
    // Such as `GMT`, `GMT-03:30`, or `GMT-00:44:30` of the time before zones.
    const [, sign, hours, minutes, seconds = "0"] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(millis)) ?? []
    if (sign === undefined) return 0
    const offset = ((+hours! * 60 + +minutes!) * 60 + +seconds) * 1000
    return sign === "-" ? -offset : offset
  }
  /** NaN for the quarters in which clocks change: at their beginning as a rule, but at 00:01 in some places and years. */
  const known = new Map<number, number>()
  return (millis) => {
    const at = Math.floor(millis / quarter)
    let offset = known.get(at)
    if (offset === undefined) {
      offset = read(at * quarter)
      if (read((at + 1) * quarter - 1000) !== offset) offset = Number.NaN
      if (known.size >= maxQuarters) known.clear()
      known.set(at, offset)
    }
    return Number.isNaN(offset) ? read(millis) : offset
  }
}

/**
 * Of a time that occurs twice, when clocks are put back, the first is taken; a time that is skipped, when they are put
 * forward, is moved by the length of the gap.
 */
const named = (name: string): Zone => {
  const offsetAt = offsetOf(name)
  return (local) => {
    const [early, late] = [offsetAt(local - 86_400_000), offsetAt(local + 86_400_000)]
    const first = local - Math.max(early, late)
    if (offsetAt(first) === local - first) return first
    const second = local - Math.min(early, late)
    return offsetAt(second) === local - second ? second : local - early
  }
}

/** Places whose clocks have an abbreviated name in the language of the country: Intl knows `CEST` in British English. */
const places: ReadonlyArray<readonly [locale: string, zones: ReadonlyArray<string>]> = [
  ["en-US", ["New_York", "Chicago", "Denver", "Los_Angeles", "Anchorage"].map((city) => `America/${city}`)],
  ["en-US", ["Pacific/Honolulu"]],
  ["en-CA", ["America/Halifax", "America/St_Johns"]],
  ["en-GB", ["London", "Paris", "Athens", "Lisbon"].map((city) => `Europe/${city}`)],
  ["de-DE", ["Europe/Berlin"]],
  ["en-AU", ["Sydney", "Adelaide", "Perth"].map((city) => `Australia/${city}`)],
  ["en-NZ", ["Pacific/Auckland"]],
  ["en-IN", ["Asia/Kolkata"]],
  ["en-ZA", ["Africa/Johannesburg"]],
  ["ja-JP", ["Asia/Tokyo"]],
  ["en-HK", ["Asia/Hong_Kong"]],
  ["pt-BR", ["America/Sao_Paulo"]],
  ["es-AR", ["America/Argentina/Buenos_Aires"]]
]

/** The offsets of abbreviations such as `CEST`, in minutes. The first place that uses one decides its meaning. */
const readAbbreviations = (): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const [locale, zones] of places) {
    for (const zone of zones) {
      const offsetAt = offsetOf(zone)
      const format = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: "short" })
      // Of a winter and of a summer.
      for (const millis of [Date.UTC(2024, 0, 15), Date.UTC(2024, 6, 15)]) {
        const name = format.formatToParts(millis).find(({ type }) => type === "timeZoneName")?.value ?? ""
        if (/^[A-Z]+$/.test(name) && !found.has(name)) found.set(name, offsetAt(millis) / 60_000)
      }
    }
  }
  return found
}

let abbreviations: ReadonlyMap<string, number> | undefined

const fromOffset = (text: string): Zone | undefined => {
  const minutes = offsetMinutes(text)
  return Number.isNaN(minutes) ? undefined : fixed(minutes)
}

const zoneNamed = (name: string): Zone | undefined => {
  if (/^(?:z|utc|gmt)$/i.test(name)) return utc
  if (/^[+-]\d\d(?::?\d\d)?$/.test(name)) return fromOffset(name)
  const shifted = /^(?:UTC|GMT)([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(name)
  if (shifted !== null) return fromOffset(`${shifted[1]}${shifted[2]!.padStart(2, "0")}${shifted[3] ?? "00"}`)
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined
  abbreviations ??= readAbbreviations()
  const minutes = abbreviations.get(name.toUpperCase())
  if (minutes !== undefined) return fixed(minutes)
  try {
    return named(name)
  } catch {
    return undefined
  }
}

const zones = new Map<string, Zone | undefined>()

/**
 * The zone of a text: `Z`, `UTC`, `GMT`, an offset such as `+02:00` or `UTC+2`, an abbreviation such as `CEST`, which
 * is always the same offset, or a name such as `Europe/Paris`. Undefined for others.
 */
export const zoneOf = (name: string): Zone | undefined => {
  if (zones.has(name)) return zones.get(name)
  const zone = zoneNamed(name)
  if (zones.size >= maxZones) zones.clear()
  zones.set(name, zone)
  return zone
}

/**
 * The zone of a setting. Here `CET`, `EST` and the like are places whose clocks change, as in the time zone database.
 */
export const settingZone = (name: string): Zone | undefined => {
  if (!/^[A-Za-z]{3,4}$/.test(name) || /^(?:utc|gmt)$/i.test(name)) return zoneOf(name)
  try {
    return named(name)
  } catch {
    return zoneOf(name)
  }
}
