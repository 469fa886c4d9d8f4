import type { Random, Weighted } from "./random.ts"

/** Midnight UTC at the start of the two days that all samples cover: Monday 9 and Tuesday 10 March 2026. */
export const firstDay = Date.UTC(2026, 2, 9)

const second = 1000
const hour = 3600 * second

/** How busy each hour of a day is: quiet nights, a peak before noon and a second one in the evening. */
const busyHours = [3, 2, 2, 1, 1, 2, 4, 8, 13, 18, 21, 22, 19, 18, 20, 21, 19, 17, 16, 17, 18, 14, 9, 5]

const twoDays: Weighted<number> = [...busyHours, ...busyHours].map((weight, index) => [weight, index * hour])

/** A moment of the two days in epoch milliseconds, whole seconds, more often in a busy hour. */
export const moment = (random: Random): number => firstDay + random.weighted(twoDays) + random.between(0, 3599) * second

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const

const parts = (at: number) => {
  const iso = new Date(at).toISOString()
  return {
    year: iso.slice(0, 4),
    month: months[new Date(at).getUTCMonth()],
    day: iso.slice(8, 10),
    time: iso.slice(11, 19)
  }
}

/** Apache's `%t` without its brackets: `09/Mar/2026:06:25:01 +0000`. */
export const apacheTime = (at: number): string => {
  const { year, month, day, time } = parts(at)
  return `${day}/${month}/${year}:${time} +0000`
}

/** The TIMESTAMP of RFC 3164, section 4.1.2: `Mar  9 06:25:01`, a day below ten padded with a blank. */
export const syslogTime = (at: number): string => {
  const { month, day, time } = parts(at)
  return `${month} ${day.replace(/^0/, " ")} ${time}`
}
