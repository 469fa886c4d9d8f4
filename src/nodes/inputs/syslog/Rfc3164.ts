import type { Event } from "../../Node.ts"

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** `Oct 11 22:14:15`, with the year or fractions that some senders add, or ISO 8601. */
const dated =
  /^(?:(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ( ?\d{1,2})(?: (\d{4}))? (\d\d:\d\d:\d\d)(\.\d{1,6})?|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)))(?: |:|$) ?/
const host = /^([^\s:[\]]+) +(?=\S)/
const tag = /^([^\s:[\]]{1,48})(?:\[([^\]\s]{1,128})\])?: ?/

const pad = (value: number, length = 2): string => String(value).padStart(length, "0")

/** Completes a date with the year that brings it closest to now. A time without a zone counts as UTC. */
const timestampOf = (month: number, day: number, year: number | undefined, time: string, now: Date): string => {
  let nearest = year ?? now.getUTCFullYear()
  if (year === undefined) {
    const [hour = 0, minute = 0, second = 0] = time.split(":").map(Number)
    const distance = (candidate: number) =>
      Math.abs(Date.UTC(candidate, month, day, hour, minute, second) - now.getTime())
    for (const candidate of [nearest - 1, nearest + 1]) if (distance(candidate) < distance(nearest)) nearest = candidate
  }
  return `${pad(nearest, 4)}-${pad(month + 1)}-${pad(day)}T${time}`
}

/** Parses the text after the priority. Every field may be missing; the rest of the text is the message. */
export const parseRfc3164 = (text: string, now: Date): Event => {
  const event: Record<string, unknown> = {}
  let rest = text
  const found = dated.exec(rest)
  if (found !== null) {
    const [all, month, day, year, time, fraction = "", iso] = found
    event["timestamp"] =
      iso ??
      `${timestampOf(months.indexOf(month!), Number(day), year === undefined ? undefined : Number(year), time!, now)}${fraction}Z`
    rest = rest.slice(all.length)
    const hostname = tag.test(rest) ? null : host.exec(rest)
    if (hostname !== null) {
      event["hostname"] = hostname[1]
      rest = rest.slice(hostname[0].length)
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
