import { apacheTime, moment } from "./clock.ts"
import { makeRandom } from "./random.ts"
import { habits } from "./requests.ts"
import { visitors } from "./visitors.ts"

/**
 * An access log in Apache's combined format, `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`, by time.
 * Addresses and names are those set aside for documentation (RFC 5737, 3849, 2606) or private (RFC 1918).
 */
export const accessLog = (seed: number, lines: number): string => {
  const random = makeRandom(seed)
  const clients = visitors(random)
  const times = Array.from({ length: lines }, () => moment(random)).sort((a, b) => a - b)
  const line = (at: number) => {
    const client = random.skewed(random.weighted(clients))
    const { request, status, bytes, referer } = random.weighted(habits[client.kind])(random, client, at)
    const agent = request === "-" ? "-" : client.agent
    const user = client.user ?? "-"
    return `${client.host} - ${user} [${apacheTime(at)}] "${request}" ${status} ${bytes ?? "-"} "${referer}" "${agent}"\n`
  }
  return times.map(line).join("")
}
