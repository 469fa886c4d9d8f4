import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { date as guestDate } from "../../src/languages/flowlet/guest/date.ts"
import { reader } from "../../src/nodes/time/DateReader.ts"
import { utc, zoneOf } from "../../src/nodes/time/Zone.ts"
import { seed } from "../support/random.ts"

const pad = (value: number, width = 2) => String(value).padStart(width, "0")

describe("a reader of times", () => {
  it.effect.prop(
    "gives back what was written",
    { millis: Schema.Int.check(Schema.isBetween({ minimum: -62_135_596_800_000, maximum: 253_402_300_799_999 })) },
    ({ millis }) =>
      Effect.sync(() => {
        const moment = new Date(millis)
        const text = moment.toISOString()
        const [day, clock] = [text.slice(0, 10), text.slice(11, 23)]
        const ordinal =
          Math.floor((millis - new Date(0).setUTCFullYear(moment.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
        const thursday = new Date(millis + (4 - (moment.getUTCDay() || 7)) * 86_400_000)
        const first = new Date(0).setUTCFullYear(thursday.getUTCFullYear(), 0, 1)
        const week = Math.floor((thursday.getTime() - first) / 604_800_000) + 1
        const weekly = `${pad(thursday.getUTCFullYear(), 4)}-W${pad(week)}-${moment.getUTCDay() || 7}`
        const yearly = `${pad(moment.getUTCFullYear(), 4)}-${pad(ordinal, 3)}`
        const name = moment.toLocaleString("en-US", { timeZone: "UTC", month: "long" })
        const written: ReadonlyArray<readonly [string, string]> = [
          ["ISO8601", text],
          ["UNIX_MS", String(millis)],
          ["UNIX", `${millis < 0 ? "-" : ""}${Math.floor(Math.abs(millis) / 1000)}.${pad(Math.abs(millis) % 1000, 3)}`],
          ["ISO8601", `${yearly}T${clock}`],
          ["yyyy-MM-dd HH:mm:ss.SSS", `${day} ${clock}`],
          ["d MMMM yyyy HH:mm:ss.SSS", `${moment.getUTCDate()} ${name} ${pad(moment.getUTCFullYear(), 4)} ${clock}`],
          ["yyyy-DDD HH:mm:ss.SSS", `${yearly} ${clock}`],
          // The first and last days belong to weeks of the years 0 and 10000.
          ...(thursday.getUTCFullYear() > 0 && thursday.getUTCFullYear() < 10_000
            ? ([
                ["ISO8601", `${weekly}T${clock}Z`],
                ["YYYY-'W'ww-e HH:mm:ss.SSS", `${weekly} ${clock}`]
              ] as const)
            : [])
        ]
        for (const [format, each] of written) {
          expect([format, each, reader(format, { now: Date.now })(each, utc)]).toEqual([format, each, millis])
        }
      }),
    { arbitrary: { seed, runs: 300 } }
  )

  const formats = [
    "ISO8601",
    "dd/MMM/yyyy:HH:mm:ss Z",
    "yyyy-MM-dd HH:mm:ss.SSS",
    "MMM d HH:mm:ss",
    "d.M.yy h:mm a",
    "EEE, dd MMM yyyy HH:mm:ss Z",
    "yyyyMMdd'T'HHmmssZ",
    "'at' H''mm",
    "MM MMM",
    "yyyy yyyy",
    "UNIX",
    "UNIX_MS",
    "ss.S"
  ] as const
  const pieces = [
    ...["2024-02-29", "2023-02-29", "0050-01-01", "T", "t", " ", "  ", "23:59:60", "12:30", "24:00:00", "1:02:03"],
    ...[".5", ",123456789", "Z", "z", "+0200", "-05:30", "+19:00", "UTC", "29/Feb/2024:10:11:12 -0700"],
    ...[
      "Mar 7 01:02:03",
      "March 31 01:02:03",
      "Marble 1 01:02:03",
      "Sept. 1 01:02:03",
      "31.12.99 12:00 am",
      "31.12.99 13:00 am"
    ],
    ...[
      "Fri, 09 Aug 2024 10:00:00 GMT",
      "Fry, 09 Aug 2024 10:00:00 GMT",
      "20240229T101112Z",
      "at 5'07",
      "at",
      "02 Feb",
      "2024 2025",
      "1700000000"
    ],
    ...[
      "1700000000.5",
      "1700000000000",
      "-1",
      "07.25",
      "2024-02-29T10:11:12.999999Z",
      "2024-02-29T10:11",
      "\t",
      "é",
      ""
    ]
  ] as const

  it.effect.prop(
    "reads what the programs' date reads",
    {
      format: Schema.Literals(formats),
      picked: Schema.Array(Schema.Literals(pieces)).check(Schema.isMinLength(1), Schema.isMaxLength(4)),
      zone: Schema.Literals(["UTC", "z", "+02:00", "-0530"]),
      year: Schema.Literals([1970, 2023, 2024])
    },
    ({ format, picked, zone, year }) =>
      Effect.sync(() => {
        const text = picked.join("")
        const found = reader(format, { year, now: Date.now })(text, zoneOf(zone)!)
        const wanted = guestDate(text, format, { zone, year })
        // ISO 8601 has more forms than programs read.
        if (format === "ISO8601" && wanted === null) return
        expect(Number.isNaN(found) ? null : new Date(found).toISOString()).toBe(wanted)
      }),
    { arbitrary: { seed, runs: 2000 } }
  )
})
