import { reader } from "../../src/nodes/time/DateReader.ts"
import { zoneOf } from "../../src/nodes/time/Zone.ts"
import { random } from "../support/random.ts"

const days = 86_400_000
/** What clocks show in a zone, as if it were UTC. */
const clockOf = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
  return (millis: number) => format.format(millis)
}
const localOf = (clock: string) => Date.parse(`${clock.replace(" ", "T")}Z`)

/** The moments since 1970 at which the offset of a zone changes. */
const changesOf = (offsetAt: (millis: number) => number): ReadonlyArray<number> => {
  const changes: Array<number> = []
  // No two changes are as close as ten days and take each other back.
  for (let from = 0; from < Date.UTC(2038); from += 10 * days) {
    let [before, after] = [from, from + 10 * days]
    const [old, next] = [offsetAt(before), offsetAt(after)]
    if (old === next) continue
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000
      if (offsetAt(middle) === old) before = middle
      else after = middle
    }
    changes.push(after)
  }
  return changes
}

const read = reader("yyyy-MM-dd HH:mm:ss", { now: Date.now })

/** Local times near a zone's changes that are parsed wrongly, and the number of times checked. */
export const misreadClocks = (zone: string): { readonly wrong: ReadonlyArray<string>; readonly count: number } => {
  const clock = clockOf(zone)
  const offsetAt = (millis: number) => localOf(clock(millis)) - millis
  const { below } = random()
  const wrong: Array<string> = []
  let count = 0
  const hold = (local: number, isRight: (found: number) => boolean) => {
    const text = new Date(local).toISOString().slice(0, 19).replace("T", " ")
    const found = read(text, zoneOf(zone)!)
    count++
    if (!isRight(found)) wrong.push(`${zone}: ${text} is ${new Date(found).toISOString()}`)
  }
  for (const change of changesOf(offsetAt)) {
    const [old, next] = [offsetAt(change - 1000), offsetAt(change)]
    const near = [-1, 0, 60, -below(900), below(900), below(7200) - 3600, below(172_800) - 86_400]
    for (const moment of near.map((seconds) => change + seconds * 1000)) {
      const local = localOf(clock(moment))
      // Of two moments with the same clock, the first.
      const isRepeated = old > next && moment >= change && local < change + old
      hold(local, (found) => found === (isRepeated ? local - old : moment))
    }
    // Clocks skip this one.
    if (next > old) {
      const local = change + old + below((next - old) / 1000) * 1000
      hold(local, (found) => found === local - old)
    }
  }
  return { wrong, count }
}
