const dayMillis = 86_400_000
const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The years that times can have. */
const [firstYear, lastYear] = [1, 9999]
export const firstMillis = -62_135_596_800_000
export const lastMillis = 253_402_300_799_999

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** Epoch milliseconds of a day's midnight in UTC; NaN for a day that does not exist. `month` is 1 to 12. */
export const dayOf = (year: number, month: number, day: number): number => {
  if (year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1) return Number.NaN
  if (day > days[month - 1]! + (month === 2 && isLeap(year) ? 1 : 0)) return Number.NaN
  if (year > 99) return Date.UTC(year, month - 1, day)
  // `Date.UTC` takes years below 100 for years of the 20th century.
  return new Date(0).setUTCFullYear(year, month - 1, day)
}

/** The n-th day of a year, 1 to 366. */
export const dayOfYear = (year: number, day: number): number =>
  day < 1 || day > (isLeap(year) ? 366 : 365) ? Number.NaN : dayOf(year, 1, 1) + (day - 1) * dayMillis

/** The day (1 is Monday) of an ISO 8601 week, whose first one in a year holds January 4. */
export const dayOfWeek = (year: number, week: number, day: number): number => {
  const fourth = dayOf(year, 1, 4)
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMillis
  const first = monday + (week - 1) * 7 * dayMillis
  // The Thursday of a week is in the year that the week belongs to.
  if (week < 1 || day < 1 || day > 7 || new Date(first + 3 * dayMillis).getUTCFullYear() !== year) return Number.NaN
  return first + (day - 1) * dayMillis
}

/** Milliseconds since midnight; NaN for a time of day that does not exist. A leap second runs into the next minute. */
export const timeOf = (hour: number, minute: number, second: number, millis = 0): number =>
  hour > 23 || minute > 59 || second > 60 ? Number.NaN : ((hour * 60 + minute) * 60 + second) * 1000 + millis

/**
 * The time that is nearest to now, with the last, this or the next year: February 29 is only in a leap year. NaN when
 * none of them has it.
 */
export const nearest = (now: number, inYear: (year: number) => number): number => {
  const year = new Date(now).getUTCFullYear()
  const times = [year, year - 1, year + 1].map(inYear).filter((time) => !Number.isNaN(time))
  return times.reduce(
    (best, time) => (Math.abs(time - now) < Math.abs(best - now) ? time : best),
    times[0] ?? Number.NaN
  )
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48

/** The minutes of an offset such as `+02:00`, `+0200` or `+02`; NaN beyond 18 hours. */
export const offsetMinutes = (text: string): number => {
  const { length } = text
  const minute = length > 3 ? digit(text, length - 2) * 10 + digit(text, length - 1) : 0
  const minutes = (digit(text, 1) * 10 + digit(text, 2)) * 60 + minute
  if (minute > 59 || minutes > 18 * 60) return Number.NaN
  return text.charCodeAt(0) === 45 ? -minutes : minutes
}
