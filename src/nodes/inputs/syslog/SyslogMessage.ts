import type { Event } from "../../Node.ts"
import { parseRfc3164 } from "./Rfc3164.ts"
import { parseRfc5424 } from "./Rfc5424.ts"

const severities = ["emergency", "alert", "critical", "error", "warning", "notice", "informational", "debug"]
const facilities = [
  "kern",
  "user",
  "mail",
  "daemon",
  "auth",
  "syslog",
  "lpr",
  "news",
  "uucp",
  "cron",
  "authpriv",
  "ftp",
  "ntp",
  "audit",
  "alert",
  "clock",
  ...Array.from({ length: 8 }, (_, index) => `local${index}`)
]

/**
 * A syslog message as a record: RFC 5424 if its version follows the priority, else RFC 3164, which accepts any text.
 * Undefined without a priority (0 to 191), or for a malformed RFC 5424 message. `now` supplies the year of a date
 * without one.
 */
export const parseMessage = (text: string, now: Date): Event | undefined => {
  const priority = /^<(0|[1-9]\d{0,2})>/.exec(text)
  const value = Number(priority?.[1])
  if (priority === null || value > 191) return undefined
  const rest = text.slice(priority[0].length)
  const fields = /^1 /.test(rest) ? parseRfc5424(rest.slice(2)) : parseRfc3164(rest, now)
  if (fields === undefined) return undefined
  const facility = value >> 3
  const severity = value & 7
  return {
    priority: value,
    facility,
    facility_label: facilities[facility],
    severity,
    severity_label: severities[severity],
    ...fields
  }
}
