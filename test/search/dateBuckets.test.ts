import { describe, expect, it } from "@effect/vitest"
import { bucketStarts } from "../../src/languages/query/aggregation/DateBuckets.ts"
import { zoneOffset } from "../../src/languages/query/DateMath.ts"

const minute = 60_000
const day = 1440 * minute

type Interval = Parameters<typeof bucketStarts>[0]["interval"]
const fixed = (millis: number): Interval => ({ _tag: "fixed", millis })

const starts = (interval: Interval, zone: string, from: string | number, to: string | number) => {
  const histogram = { _tag: "date_histogram", field: "@timestamp", interval, offset: zoneOffset(zone)! } as unknown
  const [first, last] = [new Date(from).getTime(), new Date(to).getTime()]
  return bucketStarts(histogram as Parameters<typeof bucketStarts>[0], first, last)!
}
const iso = (times: ReadonlyArray<number>) => times.map((at) => new Date(at).toISOString().slice(0, 16))

const changes: ReadonlyArray<readonly [zone: string, day: string]> = [
  ["Europe/Berlin", "2026-10-25"],
  ["Europe/Berlin", "2026-03-29"],
  ["America/Santiago", "2026-04-05"],
  ["America/Santiago", "2026-09-06"],
  ["America/Havana", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Antarctica/Troll", "2026-10-25"],
  ["Pacific/Apia", "2011-12-30"],
  ["Asia/Kathmandu", "2026-10-25"]
]

/** How Elasticsearch rounds a time down to a fixed interval. */
const roundingOf = (zone: string, begin: number, length: number) => {
  const offset = zoneOffset(zone)!
  const offsets = Array.from({ length }, (_, at) => offset(begin + at * minute) * minute)
  const all = [...new Set(offsets)].sort((a, b) => b - a)
  const offsetAt = (utc: number) => offsets[Math.floor((utc - begin) / minute)]
  const changes = offsets.flatMap((one, at) => (at > 0 && one !== offsets[at - 1] ? [begin + at * minute] : []))
  const changeBefore = (utc: number) => changes.findLast((change) => change <= utc)
  const round = (utc: number, interval: number): number => {
    const local = Math.floor((utc + offsetAt(utc)!) / interval) * interval
    const valid = all.map((one) => local - one).filter((at, index) => offsetAt(at) === all[index])
    const change = changeBefore(utc)
    if (valid.length === 0) return change!
    for (const at of valid.toReversed()) {
      if (change !== undefined && at < change) return round(change - 1, interval)
      if (at <= utc) return at
    }
    throw new Error("No start is before the time")
  }
  return round
}

describe("the buckets of a date histogram", () => {
  it("of a fixed interval begin anew where the clocks go back", () => {
    const hours = (count: number) =>
      iso(starts(fixed(count * 60 * minute), "Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T06:00Z"))
    expect(hours(2)).toEqual([
      "2026-10-24T22:00",
      "2026-10-25T00:00",
      "2026-10-25T01:00",
      "2026-10-25T03:00",
      "2026-10-25T05:00"
    ])
    expect(hours(3)).toEqual(["2026-10-24T22:00", "2026-10-25T02:00", "2026-10-25T05:00"])
    expect(hours(4)).toEqual(["2026-10-24T22:00", "2026-10-25T03:00"])
  })

  it("of a fixed interval are those of Elasticsearch around each change of the clocks", () => {
    const lengths = [5, 20, 30, 40, 60, 90, 120, 160, 180, 240, 720, 1440, 2880]
    for (const [zone, at] of changes) {
      const begin = Date.parse(`${at}T00:00:00Z`) - 6 * day
      const round = roundingOf(zone, begin, 12 * 1440)
      for (const length of lengths) {
        for (const shift of [0, 605]) {
          const [from, to] = [begin + 5 * day + shift * minute, begin + 7 * day + shift * minute]
          const expected = new Set<number>()
          for (let time = from; time <= to; time += 5 * minute) expected.add(round(time, length * minute))
          expect(iso(starts(fixed(length * minute), zone, from, to)), `${zone} ${at} ${length}`).toEqual(
            iso([...expected])
          )
        }
      }
    }
  })

  it("of a day begin at its first midnight, or with the change that leaves midnight out", () => {
    const days = (zone: string, from: string, to: string) =>
      iso(starts({ _tag: "calendar", unit: "day" }, zone, from, to))
    expect(days("America/Santiago", "2026-09-05T12:00Z", "2026-09-07T04:00Z")).toEqual([
      "2026-09-05T04:00",
      "2026-09-06T04:00",
      "2026-09-07T03:00"
    ])
    expect(days("America/Havana", "2026-10-31T12:00Z", "2026-11-02T06:00Z")).toEqual([
      "2026-10-31T04:00",
      "2026-11-01T04:00",
      "2026-11-02T05:00"
    ])
  })

  it("may be many", () => {
    const from = Date.parse("2026-01-01T00:00Z")
    const minutes = starts(fixed(minute), "Europe/Berlin", from, from + 65_535 * minute)
    expect(minutes.length).toBe(65_536)
    expect(starts(fixed(minute), "Europe/Berlin", from, from + 65_536 * minute)).toBeUndefined()
    expect(starts(fixed(400 * day), "Europe/Berlin", "0001-01-01T00:00Z", "9999-01-01T00:00Z").length).toBe(9_130)
  })
})
