import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect, vi } from "vitest"
import { date as guestDate } from "../../src/languages/flowlet/guest/date.ts"
import { date } from "../../src/nodes/processing/Date.ts"
import { reader } from "../../src/nodes/time/DateReader.ts"
import { zoneOf } from "../../src/nodes/time/Zone.ts"
import { seed } from "../support/random.ts"
import { fields, issues, of } from "./one.ts"
import { misreadClocks } from "./writtenClocks.ts"

const time = async (formats: string | ReadonlyArray<string>, text: string, settings: object = {}) => {
  const found = await fields(date, { formats: [formats].flat(), ...settings }, text)
  return typeof found === "string" ? found : found?.["@timestamp"]
}
const none = expect.stringMatching(/^no format matches/)

/** Runs with a stopped clock. */
const at = async <A>(now: string, run: () => Promise<A>): Promise<A> => {
  vi.useFakeTimers({ now: new Date(now), toFake: ["Date"] })
  try {
    return await run()
  } finally {
    vi.useRealTimers()
  }
}

describe("numbers of seconds", () => {
  it("are not milliseconds", async () => {
    const both = ["UNIX", "UNIX_MS"]
    expect(await time(both, "1700000000000")).toBe("2023-11-14T22:13:20.000Z")
    expect(await time(both, "1478207457")).toBe("2016-11-03T21:10:57.000Z")
    expect(await time(both, "1478207457.456")).toBe("2016-11-03T21:10:57.456Z")
    expect(await time(both, "1350414944.123999")).toBe("2012-10-16T19:15:44.123Z")
    expect(await time("UNIX", "1700000000000")).toEqual(none)
    expect(await time("UNIX_MS", "1700000000000000")).toEqual(none)
    expect(await time("UNIX", "-1.5")).toBe("1969-12-31T23:59:58.500Z")
    expect(await time("UNIX", "253402300799.999")).toBe("9999-12-31T23:59:59.999Z")
    expect(await time("UNIX", "253402300800")).toEqual(none)
    expect(await time("UNIX", "-62135596800")).toBe("0001-01-01T00:00:00.000Z")
    expect(await time("UNIX", "-62135596801")).toEqual(none)
    expect(await time("UNIX_MS", "253402300799999")).toBe("9999-12-31T23:59:59.999Z")
    expect(await time("UNIX_MS", "253402300800000")).toEqual(none)
    expect(guestDate("1700000000000", "UNIX")).toBeNull()
    for (const text of ["", "x", "1e9", "1 2", "0x10"]) expect(await time(both, text)).toEqual(none)
  })

  it("may be TAI64N", async () => {
    expect(await time("TAI64N", "@4000000050d506482dbdf024")).toBe("2012-12-22T01:00:46.767Z")
    expect(await time("TAI64N", "4000000050d506482dbdf024")).toBe("2012-12-22T01:00:46.767Z")
    expect(await time("TAI64N", "4000000050d50648")).toEqual(none)
  })
})

describe("ISO 8601", () => {
  it("has dates of months, weeks and years, with a time or without", async () => {
    const times: Record<string, string> = {
      "2001-01-01T00:00:00-0800": "2001-01-01T08:00:00.000Z",
      "2001-12-07 23:54:54,123Z": "2001-12-07T23:54:54.123Z",
      "2001-11-06 20:45:45.123": "2001-11-06T20:45:45.123Z",
      "2001-11-06 20:45:45 +0100": "2001-11-06T19:45:45.000Z",
      "2001-11-06T20:45": "2001-11-06T20:45:00.000Z",
      "2001-11-06": "2001-11-06T00:00:00.000Z",
      "2026-W01-1": "2025-12-29T00:00:00.000Z",
      "2020-W53-5T12:00Z": "2021-01-01T12:00:00.000Z",
      "2026-W10": "2026-03-02T00:00:00.000Z",
      "2024-366": "2024-12-31T00:00:00.000Z",
      "20260102T101112+02": "2026-01-02T08:11:12.000Z",
      "0050-01-01": "0050-01-01T00:00:00.000Z"
    }
    for (const [text, wanted] of Object.entries(times)) expect(await time("ISO8601", text), text).toBe(wanted)
    for (const text of [
      "2026-02-29",
      "2026-13-01",
      "2025-366",
      "2025-W53-1",
      "2026-W01-8",
      "2026-01-01T24:00:00",
      "2026-01-01T10:60",
      "2026-01-01T10:00:00+19:00",
      "9999-12-31T23:59:59-01:00",
      "0000-01-01",
      "20260102"
    ]) {
      expect(await time("ISO8601", text), text).toEqual(none)
    }
  })
})

describe("formats with letters", () => {
  it("have days of years and of weeks", async () => {
    expect(await time("yyyy-DDD HH:mm", "2024-060 10:30")).toBe("2024-02-29T10:30:00.000Z")
    expect(await time("yyyyD", "20261")).toBe("2026-01-01T00:00:00.000Z")
    expect(await time("YYYY-'W'ww-e", "2020-W53-5")).toBe("2021-01-01T00:00:00.000Z")
    expect(await time("xxxx-'W'ww-e", "2020-W53-5")).toBe("2021-01-01T00:00:00.000Z")
    expect(await time("YYYY 'week' w, EEEE", "2026 week 1, Thursday")).toBe("2026-01-01T00:00:00.000Z")
    expect(await time("YYYY-MM-dd", "2026-03-04")).toBe("2026-03-04T00:00:00.000Z")
    expect(await time("yyyy-DDD", "2025-366")).toEqual(none)
    expect(await time("YYYY-'W'ww-e", "2025-W53-1")).toEqual(none)
  })

  it("have hours of a day and of half a day", async () => {
    expect(await time("d.M.yyyy h:mm a", "1.2.2026 12:05 am")).toBe("2026-02-01T00:05:00.000Z")
    expect(await time("d.M.yyyy h:mm a", "1.2.2026 12:05 PM")).toBe("2026-02-01T12:05:00.000Z")
    expect(await time("d.M.yyyy h:mm a", "1.2.2026 13:05 PM")).toEqual(none)
    for (const blank of [" ", "  ", "\u00a0", "\u202f"]) {
      expect(await time("d.M.yyyy h:mm a", `1.2.2026${blank}8:05${blank}PM`)).toBe("2026-02-01T20:05:00.000Z")
      expect(await time(`h:mm${blank}a d.M.yyyy`, "8:05 PM 1.2.2026")).toBe("2026-02-01T20:05:00.000Z")
      expect(await time("h:mm a d.M.yyyy", `8:05${blank}PM 1.2.2026`, { locale: "en" })).toBe(
        "2026-02-01T20:05:00.000Z"
      )
    }
    expect(await time("d.M.yyyy h:mm a", "1.2.2026 8:05\nPM")).toEqual(none)
    expect(await time("d.M.yyyy k:mm", "1.2.2026 24:05")).toBe("2026-02-01T00:05:00.000Z")
  })

  it("take the name of a zone from the text", async () => {
    const zoned = (text: string, format = "yyyy-MM-dd HH:mm:ss z") => time(format, text, { timezone: "Asia/Tokyo" })
    const wanted: Record<string, string> = {
      CEST: "10:00:00",
      CET: "11:00:00",
      EDT: "16:00:00",
      PST: "20:00:00",
      IST: "06:30:00",
      JST: "03:00:00",
      "Europe/Paris": "10:00:00",
      "america/new_york": "16:00:00",
      "UTC+2": "10:00:00",
      "GMT-03:30": "15:30:00",
      "+0545": "06:15:00",
      Z: "12:00:00"
    }
    for (const [zone, clock] of Object.entries(wanted)) {
      expect(await zoned(`2026-07-01 12:00:00 ${zone}`), zone).toBe(`2026-07-01T${clock}.000Z`)
    }
    expect(await zoned("2026-01-01 12:00:00 Europe/Paris", "yyyy-MM-dd HH:mm:ss ZZZ")).toBe("2026-01-01T11:00:00.000Z")
    expect(await zoned("2026-01-01T12:00+02:00[Europe/Paris]", "yyyy-MM-dd'T'HH:mmXXX'['VV']'")).toBe(
      "2026-01-01T10:00:00.000Z"
    )
    for (const zone of ["Mars/Base", "XYZT", "+99:00"]) expect(await zoned(`2026-07-01 12:00:00 ${zone}`)).toEqual(none)
  })

  it("have names of many languages", async () => {
    const written: ReadonlyArray<readonly [string, string, string]> = [
      ["fr_FR", "d MMM yyyy", "3 févr. 2026"],
      ["fr", "d MMMM yyyy", "3 fevrier 2026"],
      ["de_AT.UTF-8", "EEEE, d. MMMM yyyy", "Dienstag, 3. Februar 2026"],
      ["de", "d. MMM yyyy", "3. Feb 2026"],
      ["es", "EEE d MMM yyyy", "mar 3 feb 2026"],
      ["ru", "d MMMM yyyy", "3 февраля 2026"],
      ["pl", "d MMMM yyyy", "3 lutego 2026"],
      ["pt-BR", "d 'de' MMMM 'de' yyyy", "3 de fevereiro de 2026"],
      ["fi", "d MMM yyyy", "3 Feb 2026"]
    ]
    for (const [locale, format, text] of written) {
      expect(await time(format, text, { locale }), text).toBe("2026-02-03T00:00:00.000Z")
    }
    expect(await time("d MMM yyyy", "3 févr. 2026")).toEqual(none)
    expect(await time("d MMM yyyy HH", "1 Sept 2026 10")).toBe("2026-09-01T10:00:00.000Z")
    expect(await time("d MMM yyyy h a", "3 Şub 2026 2 ÖS", { locale: "tr" })).toBe("2026-02-03T14:00:00.000Z")
  })

  it("are refused with a cure", () => {
    const formats = ["yyyy-QQ", "D MM", "ww dd", "h H", "'T", "--"]
    expect(issues(date, { formats, timezone: "Mars/Base", locale: "no such" })).toEqual([
      ...formats.map((_, index) => `formats/${index}`),
      "timezone",
      "locale"
    ])
  })
})

describe("a time without a year", () => {
  it("has the year that is closest to now", async () => {
    const syslog = (now: string, text: string, settings = {}) => at(now, () => time("MMM d HH:mm:ss", text, settings))
    expect(await syslog("2014-01-01T00:30:50Z", "Dec 31 23:59:00")).toBe("2013-12-31T23:59:00.000Z")
    expect(await syslog("2013-12-31T23:59:50Z", "Jan 1 01:00:00")).toBe("2014-01-01T01:00:00.000Z")
    expect(await syslog("2016-03-29T23:59:50Z", "Mar 26 02:00:37", { timezone: "CET" })).toBe(
      "2016-03-26T01:00:37.000Z"
    )
    expect(await syslog("2027-03-01T00:00:00Z", "Feb 29 10:00:00")).toBe("2028-02-29T10:00:00.000Z")
    expect(await syslog("2026-03-01T00:00:00Z", "Feb 29 10:00:00")).toEqual(none)
    expect(await syslog("2026-03-01T00:00:00Z", "Feb 29 10:00:00", { year: 2024 })).toBe("2024-02-29T10:00:00.000Z")
    expect(await at("2026-01-02T00:00:00Z", () => time("DDD", "365"))).toBe("2025-12-31T00:00:00.000Z")
  })
})

describe("the zone of times without one", () => {
  it("may come from a field", async () => {
    const settings = { formats: ["yyyy-MM-dd HH:mm", "UNIX"], timezone: "%{[geo][zone]}" }
    const event = (zone: unknown, message = "2026-07-01 12:00") => ({ message, geo: { zone } })
    const { records, errors } = await of(date, settings, [
      event("Europe/Paris"),
      event("+05:30"),
      event("nowhere"),
      event(undefined),
      event(undefined, "1")
    ])
    expect(records.map((record) => record["@timestamp"])).toEqual([
      "2026-07-01T10:00:00.000Z",
      "2026-07-01T06:30:00.000Z",
      "1970-01-01T00:00:01.000Z"
    ])
    expect(errors).toEqual(["nowhere is not a time zone", "%{[geo][zone]} is not a time zone"])
  })

  const zones = ["Europe/Paris", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"] as const
  const clockOf = (timeZone: string) =>
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
  const clocks = new Map(zones.map((zone) => [zone, clockOf(zone)]))
  const read = reader("yyyy-MM-dd HH:mm:ss", { now: Date.now })

  it.effect.prop(
    "gives back a moment whose clock was written, but for the hour that comes twice",
    {
      zone: Schema.Literals(zones),
      millis: Schema.Int.check(Schema.isBetween({ minimum: -2_000_000_000_000, maximum: 4_000_000_000_000 }))
    },
    ({ zone, millis }) =>
      Effect.sync(() => {
        const format = clocks.get(zone)!
        const moment = Math.floor(millis / 1000) * 1000
        const written = format.format(moment)
        const found = read(written, zoneOf(zone)!)
        // The first of two moments with the same clock.
        if (found !== moment) expect([format.format(found), found < moment]).toEqual([written, true])
      }),
    { arbitrary: { seed, runs: 300 } }
  )

  it("is right where clocks change at 00:01 or other minutes", () => {
    const near = (zone: string, text: string) => new Date(read(text, zoneOf(zone)!)).toISOString()
    expect(near("Antarctica/Casey", "2020-10-04 03:05:00")).toBe("2020-10-03T16:05:00.000Z")
    expect(near("America/St_Johns", "2011-03-13 01:05:00")).toBe("2011-03-13T03:35:00.000Z")
    const odd = ["Antarctica/Casey", "America/St_Johns", "America/Moncton", "Asia/Gaza", "Asia/Tehran"]
    const others = ["Pacific/Guam", "Pacific/Kiritimati", "Africa/Monrovia", "Africa/Casablanca", "Europe/Paris"]
    expect([...odd, ...others].flatMap((zone) => misreadClocks(zone).wrong)).toEqual([])
  })

  it("skips the hour that clocks skip", () => {
    const local = (text: string, zone: string) =>
      new Date(reader("yyyy-MM-dd HH:mm", { now: Date.now })(text, zoneOf(zone)!)).toISOString()
    expect(local("2026-03-29 02:30", "Europe/Paris")).toBe("2026-03-29T01:30:00.000Z")
    expect(local("2026-10-25 02:30", "Europe/Paris")).toBe("2026-10-25T00:30:00.000Z")
    expect(local("2026-10-04 02:15", "Australia/Lord_Howe")).toBe("2026-10-03T15:45:00.000Z")
    // Apia skipped a whole day.
    expect(local("2011-12-30 12:00", "Pacific/Apia")).toBe("2011-12-30T22:00:00.000Z")
  })
})
