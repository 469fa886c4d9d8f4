import { describe, expect, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { parseCron, zoneFault } from "../../src/languages/cron/CronText.ts"
import { delayOf, dueTimes, missedAfter, mostCaughtUp, timesOf } from "../../src/services/schedules/Times.ts"

const faults = (text: string) => {
  const parsed = parseCron(text)
  return Result.isFailure(parsed) ? parsed.failure.map(({ detail, column }) => `${column}: ${detail}`) : []
}
const iso = (times: ReadonlyArray<number>) => times.map((at) => new Date(at).toISOString())

/** The times of a local day, as they follow one another. */
const from = (cron: string, zone: string, start: string, count: number) => {
  const times = timesOf({ cron, zone }, 0)!
  const found: Array<number> = []
  for (let at = times.next(Date.parse(start)); found.length < count; at = times.next(at)) found.push(at)
  return iso(found)
}

describe("cron expressions", () => {
  it("name each fault with its column, and what may be meant", () => {
    expect(faults("0 2 * * MOM")).toEqual([
      '9: "MOM" is no day of the week: expected 0 to 7 or SUN to SAT; did you mean "MON"?'
    ])
    expect(faults("60 25 0 JANN 8")).toEqual([
      "1: 60 is no minute: expected 0 to 59",
      "4: 25 is no hour: expected 0 to 23",
      "7: 0 is no day of the month: expected 1 to 31",
      '9: "JANN" is no month: expected 1 to 12 or JAN to DEC; did you mean "JAN"?',
      "14: 8 is no day of the week: expected 0 to 7 or SUN to SAT"
    ])
    expect(faults("*/0 5-1 1,,2 * *")).toEqual([
      '3: "0" is no step: expected a whole number from 1 on',
      "5: The range 5-1 of the hour ends before it begins",
      "11: A value of the day of the month is missing"
    ])
    expect(faults("* * *")).toEqual([expect.stringContaining("1: There are 3 fields: expected five fields")])
    expect(faults("@dayly")).toEqual(['1: There is no name "@dayly"; did you mean "@daily"?'])
    expect(faults("0 0 31 2 *")).toEqual(["1: This never fires: none of its months has such a day"])
    for (const good of [
      "@daily",
      "0 0 29 2 *",
      "*/5 * * * * *",
      "0 2 * jan-mar MON-FRI",
      "0 0 * * 7",
      "0 0 31 2 MON"
    ]) {
      expect([good, faults(good)]).toEqual([good, []])
    }
    expect(zoneFault("Europe/Berlim")).toBe('There is no time zone "Europe/Berlim"; did you mean "Europe/Berlin"?')
    expect([zoneFault("UTC"), zoneFault("+02:00"), zoneFault("Asia/Kolkata")]).toEqual([
      undefined,
      undefined,
      undefined
    ])
  })

  it("fire once in an hour that comes twice, and later in one that is left out", () => {
    expect(from("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z"
    ])
    expect(from("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:30:00.000Z",
      "2026-03-30T00:30:00.000Z"
    ])
    expect(from("0 * * * *", "Europe/Berlin", "2026-03-28T23:30:00Z", 4)).toEqual([
      "2026-03-29T00:00:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-29T02:00:00.000Z",
      "2026-03-29T03:00:00.000Z"
    ])
  })
})

const crons = [
  "* * * * *",
  "*/7 * * * *",
  "30 2 * * *",
  "0 */3 * * 1",
  "*/20 * * * * *",
  "0 0 1 * *",
  "15,45 1-3 * * *"
]
const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]

const Case = {
  cron: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: crons.length - 1 })),
  zone: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: zones.length - 1 })),
  start: Schema.Int.check(
    Schema.isBetween({ minimum: Date.parse("2026-01-01T00:00:00Z"), maximum: Date.parse("2026-12-31T00:00:00Z") })
  ),
  away: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 * 3_600_000 })),
  catchUp: Schema.Literals(["none", "last", "all"])
}

describe("the times that are due", () => {
  it("are also those that the clocks skip, whenever somebody looks", () => {
    const times = timesOf({ cron: "30 2 * * *", zone: "Europe/Berlin" }, 0)!
    const skipped = times.next(Date.parse("2026-03-28T12:00:00Z"))
    expect(iso([skipped])).toEqual(["2026-03-29T01:30:00.000Z"])
    for (const late of [0, 1, missedAfter, 2 * missedAfter, 3_600_000]) {
      const { fire, missed } = dueTimes(times, skipped, skipped + late, "last")
      expect([iso(fire), missed]).toEqual([["2026-03-29T01:30:00.000Z"], undefined])
      expect(dueTimes(times, skipped, skipped + late, "all").fire).toEqual([skipped])
    }
    const dayBefore = Date.parse("2026-03-28T01:30:00Z")
    expect(iso(dueTimes(times, dayBefore, skipped + 3_600_000, "all").fire)).toEqual([
      "2026-03-28T01:30:00.000Z",
      "2026-03-29T01:30:00.000Z"
    ])
  })

  it.effect.prop(
    "are all of the last minute, and of earlier ones as many as are made up for",
    Case,
    ({ cron, zone, start, away, catchUp }) =>
      Effect.sync(() => {
        const times = timesOf({ cron: crons[cron]!, zone: zones[zone]! }, 0)!
        const first = times.next(start)
        const now = first + away
        const every: Array<number> = []
        for (let at = first; at <= now; at = times.next(at)) every.push(at)
        const recent = every.filter((at) => at >= now - missedAfter)
        const old = every.filter((at) => at < now - missedAfter)
        const caughtUp =
          catchUp === "all" ? old.slice(-mostCaughtUp) : catchUp === "last" && recent.length === 0 ? old.slice(-1) : []
        const due = dueTimes(times, first, now, catchUp)
        expect(iso(due.fire)).toEqual(iso([...caughtUp, ...recent]))
        const missed = old.filter((at) => !caughtUp.includes(at))
        expect(due.missed === undefined).toBe(missed.length === 0)
        if (due.missed !== undefined) expect(due.missed[0]).toBe(missed[0])
        expect(due.next).toBe(times.next(now))
      }),
    { arbitrary: { runs: 1000 } }
  )

  it("of an interval count from its beginning, and cost little however long nobody was there", () => {
    const times = timesOf({ every: "90s" }, 1000)!
    expect([times.next(0), times.next(1000), times.next(91_000), times.previous(91_000)]).toEqual([
      1000, 91_000, 181_000, 1000
    ])
    const now = 1000 + 90_000 * 40_000_000
    const due = dueTimes(times, 91_000, now, "all")
    expect([due.fire.length, due.fire.at(-1), due.missed?.[0], due.next]).toEqual([
      mostCaughtUp + 1,
      now,
      91_000,
      now + 90_000
    ])
  })

  it("come later by a share of the jitter that is always the same for one time", () => {
    const delays = Array.from({ length: 200 }, (_, at) => delayOf("30s", "mytenant/a", at * 1000))
    expect(delays).toEqual(Array.from({ length: 200 }, (_, at) => delayOf("30s", "mytenant/a", at * 1000)))
    expect(new Set(delays).size).toBeGreaterThan(150)
    expect(delays.every((delay) => delay >= 0 && delay < 30_000)).toBe(true)
    expect(delayOf(undefined, "mytenant/a", 1)).toBe(0)
  })
})
