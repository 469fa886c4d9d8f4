/** Names of a language in lower case. */
export interface Names {
  /** The months, 1 to 12. */
  readonly months: ReadonlyMap<string, number>
  readonly weekdays: ReadonlyMap<string, number>
  /** Whether it is the afternoon. */
  readonly halves: ReadonlyMap<string, boolean>
}

/** The locale of a BCP 47 or POSIX name, such as `fr-FR` or `fr_FR.UTF-8`; undefined when Node does not know it. */
export const localeOf = (name: string): string | undefined => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name.replace(/[.@].*$/, "").replaceAll("_", "-"))[0]
  } catch {
    return undefined
  }
}

const lower = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFC")
    .replace(/[\u00a0\u202f]/g, " ")

/** The writings of a name: with and without the final dot of an abbreviation, and without accents. */
const writings = (name: string): ReadonlyArray<string> => {
  const plain = lower(name).replace(/\.$/, "")
  return [plain, plain.normalize("NFD").replace(/\p{M}/gu, "")]
}

const put = <A>(into: Map<string, A>, name: string, value: A): void => {
  for (const written of writings(name)) if (written !== "" && !into.has(written)) into.set(written, value)
}

const part = (locale: string, options: Intl.DateTimeFormatOptions, type: string, millis: number): string =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC", calendar: "gregory" })
    .formatToParts(millis)
    .find((each) => each.type === type)?.value ?? ""

/** The names of a locale; English ones are understood too, unless they mean something else there. */
export const namesOf = (locale: string): Names => {
  const months = new Map<string, number>()
  const weekdays = new Map<string, number>()
  const halves = new Map<string, boolean>()
  for (const language of [locale, "en-US", "en-GB"]) {
    for (const width of ["long", "short"] as const) {
      for (let month = 0; month < 12; month++) {
        const millis = Date.UTC(2024, month, 5)
        put(months, part(language, { month: width }, "month", millis), month + 1)
        // Many languages inflect a month's name beside a day.
        put(months, part(language, { month: width, day: "numeric", year: "numeric" }, "month", millis), month + 1)
      }
      // January 1, 2024 was a Monday.
      for (let day = 1; day <= 7; day++) {
        put(weekdays, part(language, { weekday: width }, "weekday", Date.UTC(2024, 0, day)), day)
      }
    }
    for (const hour of [9, 15]) {
      const half = part(language, { hour: "numeric", hourCycle: "h12" }, "dayPeriod", Date.UTC(2024, 0, 1, hour))
      put(halves, half, hour === 15)
    }
  }
  return { months, weekdays, halves }
}

/** The value of a name as it was written. */
export const valueOf = <A>(names: ReadonlyMap<string, A>, name: string): A | undefined =>
  names.get(lower(name)) ?? names.get(lower(name).replace(/\.$/, ""))

/** A regular expression for the names, with or without a final dot. */
export const anyOf = (names: ReadonlyMap<string, unknown>): string =>
  `(?:${[...names.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("|")})\\.?`
