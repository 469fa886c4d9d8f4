import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { date } from "../../src/languages/flowlet/guest/date.ts"
import { reader } from "../../src/nodes/processing/date/DateReader.ts"
import { seed } from "../support/random.ts"

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
  "2024-02-29",
  "2023-02-29",
  "0050-01-01",
  "T",
  "t",
  " ",
  "  ",
  "23:59:60",
  "12:30",
  "24:00:00",
  "1:02:03",
  ".5",
  ",123456789",
  "Z",
  "z",
  "+0200",
  "-05:30",
  "UTC",
  "29/Feb/2024:10:11:12 -0700",
  "Mar 7 01:02:03",
  "March 31 01:02:03",
  "Abc 1 01:02:03",
  "31.12.99 12:00 am",
  "Fri, 09 Aug 2024 10:00:00 GMT",
  "20240229T101112Z",
  "at 5'07",
  "at",
  "02 Feb",
  "2024 2025",
  "1700000000",
  "1700000000.5",
  "-1",
  "07.25",
  "2024-02-29T10:11:12.999999Z",
  "2024-02-29 10:11:12,1+01:00",
  "2024-02-29T10:11",
  "\t",
  "é",
  ""
] as const

describe("a reader of times", () => {
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
        expect(reader(format, { zone, year })(text)).toBe(date(text, format, { zone, year }))
      }),
    { arbitrary: { seed, runs: 5000 } }
  )

  it("reads each piece in each format as the programs do", () => {
    for (const format of formats) {
      for (const text of pieces) {
        for (const padded of [text, ` ${text}`]) {
          const options = { zone: "+01:00", year: 2024 }
          expect([format, padded, reader(format, options)(padded)]).toEqual([
            format,
            padded,
            date(padded, format, options)
          ])
        }
      }
    }
  })
})
