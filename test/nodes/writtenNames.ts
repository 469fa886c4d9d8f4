import { reader } from "../../src/nodes/time/DateReader.ts"
import { utc } from "../../src/nodes/time/Zone.ts"

const written = (locale: string, type: string, options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC", calendar: "gregory" })
  return (millis: number) => format.formatToParts(millis).find((part) => part.type === type)?.value ?? ""
}
const pad = (value: number) => String(value).padStart(2, "0")

/** What a format reads in UTC, up to the hour. */
export const read = (format: string, text: string, locale?: string) => {
  const found = reader(format, { now: () => 0, locale })(text, utc)
  return Number.isNaN(found) ? "none" : new Date(found).toISOString().slice(0, 13)
}

/**
 * The names that Intl writes in a language and that the parser does not accept, with the parser of the language and of
 * all.
 */
export const misread = (locale: string): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const readers = new Map(
    ["d MMM yyyy", "YYYY ww EEE", "d.M.yyyy h a"].map((format) => [format, reader(format, { now: () => 0, locale })])
  )
  const hold = (format: string, text: string, name: string, wanted: string) => {
    const cases = [name, name.toLocaleUpperCase(locale), name.toUpperCase(), name.toLocaleLowerCase(locale)]
    for (const each of new Set(cases)) {
      const found = readers.get(format)!(text.replace("?", each), utc)
      const hour = Number.isNaN(found) ? "none" : new Date(found).toISOString().slice(0, 13)
      if (hour !== wanted) wrong.push(`${locale}: ${each} is ${hour}, not ${wanted}`)
    }
  }
  for (const width of ["long", "short"] as const) {
    for (const beside of [{}, { day: "numeric", year: "numeric" }] as const) {
      const name = written(locale, "month", { month: width, ...beside })
      for (let month = 1; month <= 12; month++) {
        hold("d MMM yyyy", "5 ? 2024", name(Date.UTC(2024, month - 1, 5)), `2024-${pad(month)}-05T00`)
      }
    }
    const name = written(locale, "weekday", { weekday: width })
    for (let day = 1; day <= 7; day++) {
      hold("YYYY ww EEE", "2024 01 ?", name(Date.UTC(2024, 0, day)), `2024-01-0${day}T00`)
    }
  }
  const half = written(locale, "dayPeriod", { hour: "numeric", hourCycle: "h12" })
  for (let hour = 0; hour < 24; hour++) {
    const name = half(Date.UTC(2024, 0, 1, hour))
    hold("d.M.yyyy h a", `1.1.2024 ${hour % 12} ?`, name, `2024-01-01T${pad(hour)}`)
  }
  return wrong
}
