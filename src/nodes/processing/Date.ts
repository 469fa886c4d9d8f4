import { Effect, Schema } from "effect"
import { type Fields, fieldPath } from "../../languages/FieldPath.ts"
import { date as readDate } from "../../languages/flowlet/guest/date.ts"
import { chosen, errors, node } from "../Node.ts"
import { decorationFaults, decorationSettings } from "./Decorated.ts"
import { reader } from "./date/DateReader.ts"
import { parsedSettings, parsing, placed, targetFaults, Unreadable } from "./Parsed.ts"

const settings = Schema.Struct({
  field: parsedSettings.field,
  ignore_missing: parsedSettings.ignore_missing,
  formats: Schema.NonEmptyArray(Schema.String.check(Schema.isNonEmpty())).annotate({
    description:
      "Formats, tried in order: `ISO8601`, `UNIX` (seconds), `UNIX_MS`, or letters as in Java, for example " +
      "`dd/MMM/yyyy:HH:mm:ss Z`, with literal text in quotes."
  }),
  target: Schema.String.check(Schema.isNonEmpty())
    .annotate({
      description: "Field that receives the time in ISO 8601, UTC, with milliseconds.",
      default: "@timestamp"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("@timestamp"))),
  timezone: Schema.String.annotate({
    description: "Time zone of times without one: `UTC`, an offset such as `+02:00`, or a name such as `Europe/Paris`.",
    default: "UTC"
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("UTC"))),
  year: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9999 })).annotate({
      description: "Year of times without one. Default: the year in which the run started."
    })
  ),
  ...decorationSettings
})

const offset = /^(utc|gmt|z|[+-]\d\d:?\d\d)$/i

/** The offset of a named zone from UTC at a moment, in milliseconds. */
const zoneOffset = (zone: string): ((millis: number) => number) => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    era: "short"
  })
  return (millis) => {
    const parts = Object.fromEntries(format.formatToParts(millis).map(({ type, value }) => [type, value]))
    const part = (name: string) => Number(parts[name])
    const year = parts["era"] === "BC" ? 1 - part("year") : part("year")
    const local = new Date(0)
    local.setUTCFullYear(year, part("month") - 1, part("day"))
    local.setUTCHours(part("hour"), part("minute"), part("second"), 0)
    return local.getTime() - Math.floor(millis / 1000) * 1000
  }
}

/**
 * Converts a local time in a zone. Of a time that occurs twice, when clocks are put back, the first is taken; a time
 * that is skipped, when they are put forward, is moved by the length of the gap.
 */
const inZone = (zone: string) => {
  const offsetAt = zoneOffset(zone)
  return (local: number): number => {
    const [early, late] = [offsetAt(local - 86_400_000), offsetAt(local + 86_400_000)]
    const first = local - Math.max(early, late)
    if (offsetAt(first) === local - first) return first
    const second = local - Math.min(early, late)
    return offsetAt(second) === local - second ? second : local - early
  }
}

const isZone = (zone: string): boolean => {
  if (offset.test(zone)) return true
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone })
    return true
  } catch {
    return false
  }
}

const hasOwnZone = (format: string, text: string): boolean =>
  format.startsWith("UNIX") ||
  (format === "ISO8601"
    ? /(Z|[+-]\d\d:?\d\d)$/i.test(text.trim().slice(10))
    : /[ZzXx]/.test(format.replace(/'[^']*'/g, "")))

export const date = node({
  type: "date",
  kind: "processing",
  description:
    "Parses the time in a field. Two-digit years from 70 on are in the 20th century. A text " +
    "that matches no format fails.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "timestamp", formats: ["dd/MMM/yyyy:HH:mm:ss Z"] },
  check: ({ formats, target, timezone, ...settings }) => {
    const wrong = formats.flatMap((format, at) => {
      try {
        readDate("", format, { year: 2000 })
        return []
      } catch (error) {
        return [{ path: ["formats", at], detail: error instanceof Error ? error.message : "invalid format" }]
      }
    })
    const zone = isZone(timezone)
      ? []
      : [{ path: ["timezone"], detail: `${JSON.stringify(timezone)} is not a time zone` }]
    return [...wrong, ...zone, ...targetFaults("target", target), ...decorationFaults(settings)]
  },
  start: ({ formats, target, timezone, year, ...settings }, context) => {
    const path = fieldPath(target)
    const moment = offset.test(timezone) ? undefined : inZone(timezone)
    const options = { zone: moment === undefined ? timezone : "UTC", year: year ?? new Date().getUTCFullYear() }
    const readers = formats.map((format) => [format, reader(format, options)] as const)
    return parsing(settings, context, (text) => {
      for (const [format, read] of readers) {
        const found = read(text)
        if (found === null) continue
        const isLocal = moment !== undefined && !hasOwnZone(format, text)
        return placed(path, isLocal ? new Date(moment(Date.parse(found))).toISOString() : found) as Fields
      }
      throw new Unreadable(`no format matches the field ${settings.field}: ${text.slice(0, 60)}`)
    })
  }
})
