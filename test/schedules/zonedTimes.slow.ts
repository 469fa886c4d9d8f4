import { describe, expect, it } from "@effect/vitest"
import { Cron, Effect, Result, Schema } from "effect"
import { parseCron } from "../../src/languages/cron/CronText.ts"
import { timesOf } from "../../src/services/schedules/Times.ts"

const minute = 60_000

/** Days with clock changes: by an hour, half an hour or two hours, at midnight, and one that skipped a whole day. */
const changes: ReadonlyArray<readonly [zone: string, day: string]> = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["America/Santiago", "2026-09-06"],
  ["America/Santiago", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Antarctica/Troll", "2026-03-29"],
  ["Antarctica/Troll", "2026-10-25"],
  ["Pacific/Apia", "2011-12-30"],
  ["Asia/Kolkata", "2026-03-29"],
  ["+05:30", "2026-03-29"]
]
const crons = [
  "* * * * *",
  "0,30 2 * * *",
  "*/20 2 * * *",
  "*/30 1-2 * * *",
  "30 2 * * *",
  "0 */2 * * *",
  "*/7 0,3 * * *",
  "0 0 * * *",
  "59 23 * * *",
  "15,45 * * * SAT",
  "0 3 * * *",
  "10 0-2 30 * SUN"
]

/** The instants of the local minutes around a day, each local minute mapped separately: the slow way. */
const clocksOf = (zone: string, day: string): ReadonlyArray<readonly [clock: number, instant: number]> => {
  const parts = new Intl.DateTimeFormat("en-u-hc-h23", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit"
  })
  const clockOf = (instant: number) => {
    const of = Object.fromEntries(parts.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    return Date.UTC(of.year!, of.month! - 1, of.day!, of.hour!, of.minute!)
  }
  const begin = Date.parse(`${day}T00:00:00Z`) - 2 * 1440 * minute
  const first = new Map<number, number>()
  for (let at = begin; at < begin + 5 * 1440 * minute; at += minute) {
    const clock = clockOf(at)
    if (!first.has(clock)) first.set(clock, at)
  }
  const [earliest, latest] = [Math.min(...first.keys()), Math.max(...first.keys())]
  const found: Array<readonly [number, number]> = []
  for (let clock = earliest, instant = begin - minute; clock <= latest; clock += minute) {
    // A skipped time fires as long after the last time before the gap as it would without a gap.
    instant = first.get(clock) ?? instant + minute
    found.push([clock, instant])
  }
  return found
}
const clocks = changes.map(([zone, day]) => clocksOf(zone, day))

const expected = (cron: string, change: number): ReadonlyArray<number> => {
  const parsed = Result.getOrThrow(parseCron(cron))
  const matching = clocks[change]!.filter(([clock]) => Cron.match(parsed, clock))
  return [...new Set(matching.map(([, instant]) => instant))].sort((a, b) => a - b)
}
const iso = (at: number) => new Date(at).toISOString()
const between = (cron: string, zone: string, from: number, to: number) => {
  const times = timesOf({ cron, zone }, 0)!
  const found: Array<string> = []
  for (let at = times.next(from); at <= to; at = times.next(at)) found.push(iso(at))
  return found
}

describe("times of cron expressions in a zone", () => {
  it("are all those that the clocks leave out, later by the length of the gap", () => {
    const range = [Date.parse("2026-03-29T00:00:00Z"), Date.parse("2026-03-29T04:00:00Z")] as const
    const times = (cron: string) => between(cron, "Europe/Berlin", ...range).map((at) => at.slice(11, 16))
    expect(times("0,30 2 * * *")).toEqual(["01:00", "01:30"])
    expect(times("*/20 2 * * *")).toEqual(["01:00", "01:20", "01:40"])
    expect(times("*/30 1-2 * * *")).toEqual(["00:30", "01:00", "01:30"])
    // 02:30 and 03:30 fall on one instant.
    expect(times("30 2,3 * * *")).toEqual(["01:30"])
  })

  const Case = {
    cron: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: crons.length - 1 })),
    change: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: changes.length - 1 })),
    second: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 * 86_400 }))
  }
  it.effect.prop(
    "are those of the local minutes, each for itself, forwards and backwards",
    Case,
    ({ cron, change, second }) =>
      Effect.sync(() => {
        const [zone, day] = changes[change]!
        const all = expected(crons[cron]!, change)
        const start = Date.parse(`${day}T00:00:00Z`) - 43_200_000 + second * 1000
        const end = start + 40 * minute
        expect(between(crons[cron]!, zone, start, end)).toEqual(all.filter((at) => at > start && at <= end).map(iso))
        const previous = all.filter((at) => at < end).at(-1)
        if (previous !== undefined)
          expect(iso(timesOf({ cron: crons[cron]!, zone }, 0)!.previous(end))).toBe(iso(previous))
        const next = all.find((at) => at > start)
        if (next !== undefined) expect(iso(timesOf({ cron: crons[cron]!, zone }, 0)!.next(start))).toBe(iso(next))
      }),
    { arbitrary: { runs: 1500 } }
  )
})
