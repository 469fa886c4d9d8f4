import { addressOf } from "../../../languages/query/Address.ts"
import type { Event } from "../../Node.ts"
import { dayOf, nearest } from "../../time/Calendar.ts"
import { isTimestamp, timeOfDay } from "./Timestamp.ts"

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** `Oct 11 22:14:15`, with the blank, the year or the fraction that some senders add, or ISO 8601. */
const dated =
  /^ ?(?:(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ( ?\d{1,2})(?: (\d{4}))? (\d\d:\d\d:\d\d)(\.\d{1,6})?|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)))(?: |:|$) ?/
/** A name or an address, and not the beginning of JSON or of other text. */
const host = /^([^\s:[\]{}()<>"'=,;|]+|[\da-fA-F:.]{2,45}(?:%[\w.-]{1,64})?) +(?=\S)/
/**
 * Letters and digits, and what names of programs have besides: `postfix/smtpd`, `(sd-pam)`, `%ASA-6-302013`. Without a
 * process, a blank follows: not in `10:00:00`, `https://host` and `CEF:0|`, which are text.
 */
const tag = /^(?=[^\s:[]*[A-Za-z])([\w./%@+()-]{1,48})(?:\[([^\]\s]{1,128})\]: ?|:(?: |$))/

/** A date without a year gets the one that brings it closest to now. A time without a zone counts as UTC. */
const timestampOf = ([, name, day, year, time, fraction = "", iso]: RegExpExecArray, now: Date): string | undefined => {
  if (iso !== undefined) return isTimestamp(iso) ? iso : undefined
  const month = months.indexOf(name!) + 1
  const clock = timeOfDay(time!)
  const inYear = (each: number): number => dayOf(each, month, Number(day)) + clock
  const millis = year === undefined ? nearest(now.getTime(), inYear) : inYear(Number(year))
  return Number.isNaN(millis) ? undefined : `${new Date(millis).toISOString().slice(0, 19)}${fraction}Z`
}

const isHost = (text: string): boolean => !text.includes(":") || addressOf(text.replace(/%.*/, "")) !== undefined

/**
 * Parses the text after the priority. Every field may be missing; the rest of the text is the message. A time that does
 * not exist is part of the message, with all that follows it.
 */
export const parseRfc3164 = (text: string, now: Date): Event => {
  const event: Record<string, unknown> = {}
  let rest = text
  const found = dated.exec(rest)
  if (found !== null) {
    const timestamp = timestampOf(found, now)
    if (timestamp === undefined) return { message: text }
    event["timestamp"] = timestamp
    rest = rest.slice(found[0].length)
    const hostname = tag.test(rest) ? null : host.exec(rest)
    if (hostname !== null && isHost(hostname[1]!)) {
      event["hostname"] = hostname[1]
      rest = rest.slice(hostname[0].length)
      // Firewalls of Cisco write `name : %ASA-6-302013: text`.
      if (rest.startsWith(": ") && tag.test(rest.slice(2))) rest = rest.slice(2)
    }
  }
  const program = tag.exec(rest)
  if (program !== null) {
    event["appname"] = program[1]
    if (program[2] !== undefined) event["procid"] = program[2]
    rest = rest.slice(program[0].length)
  }
  event["message"] = rest
  return event
}
