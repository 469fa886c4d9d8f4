import { assert, describe, it } from "@effect/vitest"
import { dateMath, zoneOffset } from "../../src/languages/query/DateMath.ts"

const now = Date.parse("2026-11-21T10:20:30.456Z")
describe("the clock of a zone", () => {
  it.each(["Europe/Paris", "America/New_York", "Asia/Beirut", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu"])(
    "of %s is what Intl says, also around its changes",
    (zone) => {
      const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" })
      const minutes = (millis: number) => {
        const name = format.formatToParts(millis).find(({ type }) => type === "timeZoneName")?.value ?? ""
        const [, sign = "+", hours = "0", rest = "0"] = /^GMT(?:([+-])(\d\d):(\d\d))?/.exec(name) ?? []
        return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(rest))
      }
      const offset = zoneOffset(zone) ?? assert.fail()
      for (let at = Date.parse("2010-01-01T00:00Z"); at < Date.parse("2013-01-01T00:00Z"); at += 3_570_000) {
        assert.strictEqual(offset(at), minutes(at), new Date(at).toISOString())
      }
      for (let at = Date.parse("1850-01-01T00:00Z"); at < Date.parse("2200-01-01T00:00Z"); at += 1e10) {
        assert.strictEqual(offset(at), minutes(at), new Date(at).toISOString())
      }
    }
  )
})

describe("date math", () => {
  const at = (text: string, last = false, zone?: string) => {
    const millis = dateMath(text, last, {
      now,
      offset: (zone === undefined ? undefined : zoneOffset(zone)) ?? (() => 0),
      formats: []
    })
    return millis === undefined ? undefined : new Date(millis).toISOString()
  }
  const table: ReadonlyArray<
    readonly [text: string, first: string | undefined, last: string | undefined, zone?: string]
  > = [
    ["now", "2026-11-21T10:20:30.456Z", "2026-11-21T10:20:30.456Z"],
    ["now/d", "2026-11-21T00:00:00.000Z", "2026-11-21T23:59:59.999Z"],
    ["now-1M/M", "2026-10-01T00:00:00.000Z", "2026-10-31T23:59:59.999Z"],
    ["now/w", "2026-11-16T00:00:00.000Z", "2026-11-22T23:59:59.999Z"],
    ["now/d", "2026-11-20T23:00:00.000Z", "2026-11-21T22:59:59.999Z", "Europe/Paris"],
    ["2026-01-31||+1M", "2026-02-28T00:00:00.000Z", "2026-02-28T00:00:00.000Z"],
    ["2024-02-29||+1y/d", "2025-02-28T00:00:00.000Z", "2025-02-28T23:59:59.999Z"],
    ["2026-03", "2026-03-01T00:00:00.000Z", "2026-03-01T23:59:59.999Z"],
    ["2026-03-10T14", "2026-03-10T14:00:00.000Z", "2026-03-10T14:59:59.999Z"],
    ["2026-03-10T14:12:27.5-01:00", "2026-03-10T15:12:27.500Z", "2026-03-10T15:12:27.500Z"],
    ["2026-07-01", "2026-06-30T22:00:00.000Z", "2026-07-01T21:59:59.999Z", "Europe/Paris"],
    ["1773151947000", "2026-03-10T14:12:27.000Z", "2026-03-10T14:12:27.000Z"],
    ["2026-13-01", undefined, undefined],
    ["2026-02-30", undefined, undefined],
    ["now-", undefined, undefined],
    ["now+1d/", undefined, undefined],
    ["tomorrow", undefined, undefined],
    // Days that begin at one o'clock.
    ["2018-11-04T12:00||/d", "2018-11-04T03:00:00.000Z", "2018-11-05T01:59:59.999Z", "America/Sao_Paulo"],
    ["2018-11-04", "2018-11-04T03:00:00.000Z", "2018-11-05T01:59:59.999Z", "America/Sao_Paulo"],
    ["2018-11-03T12:00||/d", "2018-11-03T03:00:00.000Z", "2018-11-04T02:59:59.999Z", "America/Sao_Paulo"],
    ["2018-11-05T12:00||/d-1d", "2018-11-04T03:00:00.000Z", "2018-11-05T01:59:59.999Z", "America/Sao_Paulo"],
    ["2025-03-30T12:00||/d", "2025-03-29T22:00:00.000Z", "2025-03-30T20:59:59.999Z", "Asia/Beirut"],
    ["2025-03-30T12:00||/w", "2025-03-23T22:00:00.000Z", "2025-03-30T20:59:59.999Z", "Asia/Beirut"],
    ["2025-03-30", "2025-03-29T22:00:00.000Z", "2025-03-30T20:59:59.999Z", "Asia/Beirut"],
    ["2025-03-29", "2025-03-28T22:00:00.000Z", "2025-03-29T21:59:59.999Z", "Asia/Beirut"],
    // A day whose last hour comes twice, one whose midnight does, and one that was left out.
    ["2018-02-17", "2018-02-17T02:00:00.000Z", "2018-02-18T02:59:59.999Z", "America/Sao_Paulo"],
    ["2018-02-17T12:00||/d", "2018-02-17T02:00:00.000Z", "2018-02-18T02:59:59.999Z", "America/Sao_Paulo"],
    ["2026-11-01T12:00||/d", "2026-11-01T04:00:00.000Z", "2026-11-02T04:59:59.999Z", "America/Havana"],
    ["2011-12-31T12:00||/d", "2011-12-30T10:00:00.000Z", "2011-12-31T09:59:59.999Z", "Pacific/Apia"],
    ["2011-12-30", "2011-12-30T10:00:00.000Z", "2011-12-30T09:59:59.999Z", "Pacific/Apia"],
    // Hours are lengths of time, days are those of the calendar.
    ["2026-03-29T03:30||-1h", "2026-03-29T00:30:00.000Z", "2026-03-29T00:30:00.000Z", "Europe/Paris"],
    ["2026-03-28T12:00||+24h", "2026-03-29T11:00:00.000Z", "2026-03-29T11:00:00.000Z", "Europe/Paris"],
    ["2026-03-28T12:00||+1d", "2026-03-29T10:00:00.000Z", "2026-03-29T10:00:00.000Z", "Europe/Paris"],
    ["2026-03-28T02:30||+1d", "2026-03-29T01:30:00.000Z", "2026-03-29T01:30:00.000Z", "Europe/Paris"],
    ["2026-10-25T01:30Z||/h", "2026-10-25T01:00:00.000Z", "2026-10-25T01:59:59.999Z", "Europe/Paris"],
    ["2026-10-25T00:30Z||/h", "2026-10-25T00:00:00.000Z", "2026-10-25T00:59:59.999Z", "Europe/Paris"],
    ["2026-10-25T00:30Z||+1h/m", "2026-10-25T01:30:00.000Z", "2026-10-25T01:30:59.999Z", "Europe/Paris"],
    ["now+999999999y", undefined, undefined, "Europe/Paris"],
    ["now+999999999y-999999999y", undefined, undefined, "Europe/Paris"],
    ["now-999999999M/d", undefined, undefined, "Europe/Paris"],
    ["now+999999999d+1d", undefined, undefined, "Europe/Paris"],
    ["now+999999999w/w", undefined, undefined, "Europe/Paris"]
  ]
  for (const [text, first, last, zone] of table) {
    it(`reads ${text}${zone === undefined ? "" : ` in ${zone}`}`, () => {
      assert.deepStrictEqual([at(text, false, zone), at(text, true, zone)], [first, last])
    })
  }
})
