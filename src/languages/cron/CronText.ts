import { Cron, Result } from "effect"
import { suggestion } from "../Suggest.ts"

/** A fault of a cron expression. `column` counts UTF-16 units from 1. */
interface CronFault {
  readonly detail: string
  readonly column?: number
}

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly words: ReadonlyArray<string>
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
const days = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]

const fields: ReadonlyArray<Field> = [
  { name: "second", min: 0, max: 59, words: [] },
  { name: "minute", min: 0, max: 59, words: [] },
  { name: "hour", min: 0, max: 23, words: [] },
  { name: "day of the month", min: 1, max: 31, words: [] },
  { name: "month", min: 1, max: 12, words: months },
  { name: "day of the week", min: 0, max: 7, words: days }
]

/** The maximum number of days of each month, by its number from 1. */
const daysOf = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether a schedule ever fires. The 31st of February does not, and searching for it would take long. */
export const isPossible = (text: string, { days, months, weekdays }: Cron.Cron): boolean => {
  const [day, , weekday] = text.trim().split(/\s+/).slice(-3)
  // If both day and weekday are restricted, either suffices; else both must match.
  const either = weekdays.size > 0 && !day?.startsWith("*") && !weekday?.startsWith("*")
  if (days.size === 0 || either) return true
  const first = Math.min(...days)
  return months.size === 0 || [...months].some((month) => daysOf[month]! >= first)
}

/** The number of a part of a field, or what is wrong with it. */
const valueOf = ({ name, min, max, words }: Field, part: string): number | string => {
  const at = words.indexOf(part.toUpperCase())
  if (at >= 0) return at + min
  const others = words.length === 0 ? "" : ` or ${words[0]} to ${words.at(-1)}`
  if (!/^\d+$/.test(part)) {
    const near = words.length === 0 ? "" : suggestion(part, words)
    return `${JSON.stringify(part)} is no ${name}: expected ${min} to ${max}${others}${near}`
  }
  const value = Number(part)
  return value >= min && value <= max ? value : `${part} is no ${name}: expected ${min} to ${max}${others}`
}

/** The faults of one field: lists of `*`, values and ranges, each with an optional step. `column` is where it begins. */
const faultsOf = (field: Field, text: string, column: number): ReadonlyArray<CronFault> => {
  const faults: Array<CronFault> = []
  let at = column
  for (const item of text.split(",")) {
    const [range = "", step, ...more] = item.split("/")
    const say = (detail: string, offset = 0) => faults.push({ detail, column: at + offset })
    if (item === "") say(`A value of the ${field.name} is missing`)
    else if (more.length > 0) say(`${JSON.stringify(item)} has more than one step`)
    else {
      if (step !== undefined && !/^[1-9]\d{0,5}$/.test(step)) {
        say(`${JSON.stringify(step)} is no step: expected a whole number from 1 on`, range.length + 1)
      }
      if (range !== "*") {
        const [from = "", to, ...others] = range.split("-")
        const first = valueOf(field, from)
        if (others.length > 0) say(`${JSON.stringify(range)} is no range: expected two values, such as 1-5`)
        else if (typeof first === "string") say(first)
        else if (to !== undefined) {
          const last = valueOf(field, to)
          if (typeof last === "string") say(last, from.length + 1)
          else if (last < first) say(`The range ${range} of the ${field.name} ends before it begins`)
        }
      }
    }
    at += item.length + 1
  }
  return faults
}

const count = "five fields (minute, hour, day of the month, month, day of the week), or six with the second first"

/** What programs that fire by cron know by a name, and the fields that it stands for. */
const names: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *"
}

/** Reads a cron expression of five fields, of six with the second first, or a name such as `@daily`. */
export const parseCron = (text: string): Result.Result<Cron.Cron, ReadonlyArray<CronFault>> => {
  const trimmed = text.trim()
  if (trimmed.startsWith("@")) {
    const known = Object.hasOwn(names, trimmed) ? names[trimmed] : undefined
    if (known !== undefined) return parseCron(known)
    const detail = `There is no name ${JSON.stringify(trimmed)}${suggestion(trimmed, Object.keys(names)) || `: expected ${count}`}`
    return Result.fail([{ detail, column: 1 }])
  }
  const found = [...text.matchAll(/\S+/g)]
  if (found.length !== 5 && found.length !== 6) {
    return Result.fail([{ detail: `There are ${found.length} fields: expected ${count}`, column: 1 }])
  }
  const used = fields.slice(6 - found.length)
  const faults = found.flatMap((part, index) => faultsOf(used[index]!, part[0], part.index + 1))
  if (faults.length > 0) return Result.fail(faults)
  const cron = Cron.parse(text)
  if (Result.isFailure(cron)) return Result.fail([{ detail: cron.failure.message, column: 1 }])
  if (!isPossible(text, cron.success)) {
    return Result.fail([{ detail: "This never fires: none of its months has such a day", column: 1 }])
  }
  return Result.succeed(cron.success)
}

/** What is wrong with the name of a time zone; undefined if nothing is. */
export const zoneFault = (zone: string): string | undefined => {
  if (/^[+-]\d\d:\d\d$/.test(zone)) return undefined
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone })
    return undefined
  } catch {
    const known = ["UTC", ...Intl.supportedValuesOf("timeZone")]
    return `There is no time zone ${JSON.stringify(zone)}${suggestion(zone, known) || "; expected a name such as Europe/Berlin"}`
  }
}
