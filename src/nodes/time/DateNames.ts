/** Names of a language, as {@link fold} writes them, without a final dot; undefined where one means several things. */
export interface Names {
  /** The months, 1 to 12. */
  readonly months: ReadonlyMap<string, number | undefined>
  /** The days of a week; Monday is 1. */
  readonly weekdays: ReadonlyMap<string, number | undefined>
  /** Whether it is the afternoon. */
  readonly halves: ReadonlyMap<string, boolean | undefined>
}

/** The locale of a BCP 47 or POSIX name, such as `fr-FR` or `fr_FR.UTF-8`; undefined when Node does not know it. */
export const localeOf = (name: string): string | undefined => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name.replace(/[.@].*$/, "").replaceAll("_", "-"))[0]
  } catch {
    return undefined
  }
}

/** A text in lower case. Whether an i has its dot, and a sigma its form at an end, is lost between the cases. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFC")
    .replace(/[\u00a0\u202f]/g, " ")
    .replace(/i\u0307|ı/g, "i")
    .replaceAll("ς", "σ")

const withoutDot = (name: string): string => (name.endsWith(".") ? name.slice(0, -1) : name)

/** Without the marks of Latin, Greek and Cyrillic letters. Those of other scripts, such as vowel signs, are letters. */
const withoutAccents = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")

type Named<A> = ReadonlyArray<readonly [name: string, value: A]>

/** The names in all writings. What was written more exactly wins, and nothing is guessed. */
const writings = <A>(names: Named<A>, locale: string, more: ReadonlyMap<string, A | undefined>) => {
  const all = new Map<string, A | undefined>()
  const exact = (name: string) => withoutDot(fold(name))
  // Greek has no accents in upper case, and a diaeresis where they kept two vowels apart.
  const upper = (name: string) => exact(name.toLocaleUpperCase(locale))
  for (const write of [exact, upper, (name: string) => withoutAccents(exact(name))]) {
    const found = new Map<string, A | undefined>()
    for (const [name, value] of names) {
      const written = write(name)
      found.set(written, found.has(written) && found.get(written) !== value ? undefined : value)
    }
    for (const [written, value] of found) if (written !== "" && !all.has(written)) all.set(written, value)
  }
  for (const [name, value] of more) if (!all.has(fold(name))) all.set(fold(name), value)
  return all
}

/** The names, and their first three letters; also as they are usually written, which makes them quick to find. */
const english = (names: string, others: Named<number>): ReadonlyMap<string, number> =>
  new Map(
    [...names.split(" ").map((name, at) => [name, at + 1] as const), ...others].flatMap(([name, value]) =>
      [name, name.slice(0, 3)].flatMap((each) => [each, each.toLowerCase()].map((text) => [text, value] as const))
    )
  )

export const englishNames: Names = {
  months: english("January February March April May June July August September October November December", [
    ["Sept", 9]
  ]),
  weekdays: english("Monday Tuesday Wednesday Thursday Friday Saturday Sunday", [
    ["Tues", 2],
    ["Weds", 3],
    ["Thur", 4],
    ["Thurs", 4]
  ]),
  halves: new Map([
    ["am", false],
    ["pm", true]
  ])
}

/** What a locale writes for each of some moments. */
const written = <A>(
  locale: string,
  type: string,
  options: Intl.DateTimeFormatOptions,
  moments: ReadonlyArray<readonly [millis: number, value: A]>
): Named<A> => {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC", calendar: "gregory" })
  return moments.map(([millis, value]) => [
    format.formatToParts(millis).find((each) => each.type === type)?.value ?? "",
    value
  ])
}

const monthMoments = Array.from({ length: 12 }, (_, at) => [Date.UTC(2024, at, 5), at + 1] as const)
// January 1, 2024 was a Monday.
const dayMoments = Array.from({ length: 7 }, (_, at) => [Date.UTC(2024, 0, at + 1), at + 1] as const)
const hourMoments = Array.from({ length: 24 }, (_, at) => [Date.UTC(2024, 0, 1, at), at >= 12] as const)

/** The names of a locale; English ones are understood too, unless they mean something else there. */
export const namesOf = (locale: string): Names => {
  const widths = ["long", "short"] as const
  const months = widths.flatMap((month) => [
    ...written(locale, "month", { month }, monthMoments),
    // Many languages inflect a month's name beside a day.
    ...written(locale, "month", { month, day: "numeric", year: "numeric" }, monthMoments)
  ])
  const weekdays = widths.flatMap((weekday) => written(locale, "weekday", { weekday }, dayMoments))
  const halves = written(locale, "dayPeriod", { hour: "numeric", hourCycle: "h12" }, hourMoments)
  return {
    months: writings(months, locale, englishNames.months),
    weekdays: writings(weekdays, locale, englishNames.weekdays),
    halves: writings(halves, locale, englishNames.halves)
  }
}

/** The value of an English name, or of a folded one, with or without a final dot. */
export const valueOf = <A>(names: ReadonlyMap<string, A>, name: string): A | undefined =>
  names.get(name) ?? names.get(withoutDot(name.toLowerCase()))

/** A regular expression for the names in a folded text, with or without a final dot. */
export const anyOf = (names: ReadonlyMap<string, unknown>): string =>
  `(?:${[...names.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("|")})\\.?`
