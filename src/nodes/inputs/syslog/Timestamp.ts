import { dayOf, offsetMinutes, timeOf } from "../../time/Calendar.ts"

/** Milliseconds since midnight of `hh:mm:ss`; NaN for a time that does not exist. Syslog has no leap seconds. */
export const timeOfDay = (text: string): number => {
  const second = Number(text.slice(6, 8))
  return second > 59 ? Number.NaN : timeOf(Number(text.slice(0, 2)), Number(text.slice(3, 5)), second)
}

/** Whether a time in the form of RFC 3339 exists. */
export const isTimestamp = (text: string): boolean => {
  const day = dayOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)))
  const zone = /[+-]\d\d:\d\d$/.exec(text)
  return !Number.isNaN(day + timeOfDay(text.slice(11)) + (zone === null ? 0 : offsetMinutes(zone[0])))
}
