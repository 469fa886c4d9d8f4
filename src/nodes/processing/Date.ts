import { Effect, Schema } from "effect"
import { interpolate } from "../../languages/Decorate.ts"
import { type Fields, fieldPath } from "../../languages/FieldPath.ts"
import { chosen, errors, node, type SettingsIssue } from "../Node.ts"
import { decorationFaults, decorationSettings } from "./Decorated.ts"
import { FormatFault } from "./date/DateFormat.ts"
import { reader } from "./date/DateReader.ts"
import { localeOf } from "./date/Names.ts"
import { settingZone, type Zone } from "./date/Zone.ts"
import { parsedSettings, parsing, placed, targetFaults, Unreadable } from "./Parsed.ts"

const settings = Schema.Struct({
  field: parsedSettings.field,
  ignore_missing: parsedSettings.ignore_missing,
  formats: Schema.NonEmptyArray(Schema.String.check(Schema.isNonEmpty())).annotate({
    description:
      "Formats, tried in order: `ISO8601`, `UNIX` (seconds), `UNIX_MS`, `TAI64N`, or letters as in Java, for example " +
      "`dd/MMM/yyyy:HH:mm:ss Z`, with literal text in quotes."
  }),
  target: Schema.String.check(Schema.isNonEmpty())
    .annotate({
      description: "Field that receives the time in ISO 8601, UTC, with milliseconds.",
      default: "@timestamp"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("@timestamp"))),
  timezone: Schema.String.annotate({
    description:
      "Time zone of times without one: `UTC`, an offset such as `+02:00`, a name such as `Europe/Paris`, or " +
      "`%{field}` for the zone in a field of the record.",
    default: "UTC"
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("UTC"))),
  locale: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Language of the names of months and weekdays, such as `fr` or `de_AT`; English ones are understood, too."
    })
  ),
  year: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9999 })).annotate({
      description: "Year of times without one. Default: the year that brings them closest to the current time."
    })
  ),
  ...decorationSettings
})

const isDynamic = (timezone: string): boolean => timezone.includes("%{")

export const zoneFaults = (timezone: string): ReadonlyArray<SettingsIssue> => {
  if (isDynamic(timezone) || settingZone(timezone) !== undefined) return []
  const detail = `${JSON.stringify(timezone)} is not a time zone: write UTC, +02:00 or Europe/Paris`
  return [{ path: ["timezone"], detail }]
}

/** The faults of formats, which are in the setting of this name. */
export const formatFaults = (setting: string, formats: ReadonlyArray<string>): ReadonlyArray<SettingsIssue> =>
  formats.flatMap((format, at) => {
    try {
      reader(format, { now: Date.now })
      return []
    } catch (cause) {
      if (!(cause instanceof FormatFault)) throw cause
      return [{ path: [setting, at], detail: cause.message }]
    }
  })

export const date = node({
  type: "date",
  kind: "processing",
  description:
    "Parses the time in a field. Two-digit years from 70 on are in the 20th century. A text " +
    "that matches no format, and a time that does not exist, such as February 30, fail.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "timestamp", formats: ["dd/MMM/yyyy:HH:mm:ss Z"] },
  check: ({ formats, target, timezone, locale, ...settings }) => {
    const isUnknown = locale !== undefined && localeOf(locale) === undefined
    const language = isUnknown
      ? [{ path: ["locale"], detail: `${JSON.stringify(locale)} is not a known language: write fr, de_AT or pt-BR` }]
      : []
    return [
      ...formatFaults("formats", formats),
      ...zoneFaults(timezone),
      ...language,
      ...targetFaults("target", target),
      ...decorationFaults(settings)
    ]
  },
  start: ({ formats, target, timezone, year, locale, ...settings }, context) => {
    const path = fieldPath(target)
    const options = { year, locale: locale === undefined ? undefined : localeOf(locale), now: Date.now }
    const readers = formats.map((format) => reader(format, options))
    const always = isDynamic(timezone) ? undefined : settingZone(timezone)
    // Only a time without a zone needs the field.
    const zoneIn =
      (event: Fields): Zone =>
      (local) => {
        const name = interpolate(timezone, event)
        const zone = settingZone(name)
        if (zone === undefined) throw new Unreadable(`${name.slice(0, 60)} is not a time zone`)
        return zone(local)
      }
    return parsing(settings, context, (text, event) => {
      const zone = always ?? zoneIn(event as Fields)
      for (const read of readers) {
        const millis = read(text, zone)
        if (!Number.isNaN(millis)) return placed(path, new Date(millis).toISOString()) as Fields
      }
      return new Unreadable(`no format matches the field ${settings.field}: ${text.slice(0, 60)}`)
    })
  }
})
