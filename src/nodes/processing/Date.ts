import { Schema } from "effect"
import { interpolate } from "../../languages/Decorations.ts"
import { type Fields, fieldPath, getPath } from "../../languages/FieldPath.ts"
import { dotted, parsedFields } from "../FieldUse.ts"
import { chosen, errors, node } from "../Node.ts"
import { decorationSettings } from "../settings/DecorationSettings.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { dateFormatPattern, dynamicZonePattern, FieldName, localePattern, textOf } from "../settings/SettingTexts.ts"
import { FormatFault } from "../time/DateFormat.ts"
import { localeOf } from "../time/DateNames.ts"
import { reader } from "../time/DateReader.ts"
import { settingZone, type Zone } from "../time/Zone.ts"
import { parsedSettings, parsing, Unreadable } from "./ParsingNode.ts"

const isDynamic = (timezone: string): boolean => timezone.includes("%{")

/** Why a text is no time zone. */
export const zoneFault = (zone: string): string =>
  `${JSON.stringify(zone)} is not a time zone: write UTC, +02:00 or Europe/Paris`

/** Why a format cannot be used. */
const formatFault = (format: string): string | undefined => {
  try {
    reader(format, { now: Date.now })
    return undefined
  } catch (cause) {
    if (!(cause instanceof FormatFault)) throw cause
    return cause.message
  }
}

/** A format of dates. */
export const DateFormat = textOf(formatFault, dateFormatPattern)

const settings = Schema.Struct({
  field: parsedSettings.field,
  ignore_missing: parsedSettings.ignore_missing,
  formats: Schema.NonEmptyArray(DateFormat).annotate({
    description:
      "Formats, tried in order: `ISO8601`, `UNIX` (seconds), `UNIX_MS`, `TAI64N`, or letters as in Java, for example " +
      "`dd/MMM/yyyy:HH:mm:ss Z`, with literal text in quotes."
  }),
  target: FieldName.check(Schema.isNonEmpty()).pipe(
    withDefault("@timestamp", "Field that receives the time in ISO 8601, UTC, with milliseconds.")
  ),
  timezone: textOf(
    (zone) => (isDynamic(zone) || settingZone(zone) !== undefined ? undefined : zoneFault(zone)),
    dynamicZonePattern
  ).pipe(
    withDefault(
      "UTC",
      "Time zone of times without one: `UTC`, an offset such as `+02:00`, a name such as `Europe/Paris`, or " +
        "`%{field}` for the zone in a field of the record."
    )
  ),
  locale: Schema.optionalKey(
    textOf((name) => {
      if (localeOf(name) !== undefined) return undefined
      return `${JSON.stringify(name)} is not a known language: write fr, de_AT or pt-BR`
    }, localePattern).annotate({
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

export const date = node({
  type: "date",
  kind: "processing",
  effect: "parses",
  description:
    "Parses the time in a field. Two-digit years from 70 on are in the 20th century. A text " +
    "that matches no format, and a time that does not exist, such as February 30, fail.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "timestamp", formats: ["dd/MMM/yyyy:HH:mm:ss Z"] },
  alternatives: ({ formats, field, year, locale }) => {
    const options = { year, locale: locale === undefined ? undefined : localeOf(locale), now: Date.now }
    const source = fieldPath(field)
    // The zone does not decide whether a format fits.
    const anyZone: Zone = (local) => local
    return {
      isFirst: true,
      list: formats.map((format, at) => {
        const read = reader(format, options)
        const fits = (event: Fields) => {
          const text = getPath(event, source)
          return typeof text === "object" || text === undefined ? false : !Number.isNaN(read(String(text), anyZone))
        }
        return { path: ["formats", at], text: format, fits: (event) => fits(event) }
      })
    }
  },
  fields: ({ target, ...settings }) => parsedFields(settings, [dotted(target)]),
  start: ({ formats, target, timezone, year, locale, ...settings }, context) => {
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
    return parsing({ ...settings, target }, context, (text, event) => {
      const zone = always ?? zoneIn(event)
      for (const read of readers) {
        const millis = read(text, zone)
        if (!Number.isNaN(millis)) return new Date(millis).toISOString()
      }
      return new Unreadable(`no format matches the field ${settings.field}: ${text.slice(0, 60)}`)
    })
  }
})
