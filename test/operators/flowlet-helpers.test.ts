import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { cidr } from "../../src/languages/flowlet/guest/cidr.ts"
import { csv } from "../../src/languages/flowlet/guest/csv.ts"
import { date } from "../../src/languages/flowlet/guest/date.ts"
import { kv } from "../../src/languages/flowlet/guest/kv.ts"
import { matching } from "../../src/languages/flowlet/Matching.ts"
import { open } from "../../src/languages/flowlet/ProgramSandbox.ts"

describe("kv", () => {
  it.each<[string, Parameters<typeof kv>[1], object]>([
    ["a=1 b=2", undefined, { a: "1", b: "2" }],
    ["  a=1   b=2  ", undefined, { a: "1", b: "2" }],
    ['a="x y" b=\'z "q"\' c="q\\"e"', undefined, { a: "x y", b: 'z "q"', c: 'q"e' }],
    [String.raw`a="C:\Windows\x" b="d:\\" c='\\srv\x'`, undefined, { a: "C:\\Windows\\x", b: "d:\\", c: "\\\\srv\\x" }],
    ["a=1 a=2 a=3", undefined, { a: ["1", "2", "3"] }],
    ["hello a=1 world", undefined, { a: "1" }],
    ["a= b=2", undefined, { a: "", b: "2" }],
    ["=x a=1", undefined, { a: "1" }],
    ["a:1&b:2&&c:", { pair: "&", value: ":" }, { a: "1", b: "2", c: "" }],
    ['a="open', undefined, { a: '"open' }],
    ["say='tis b=2 c=\"3 d='4", undefined, { say: 'tis b=2 c="3 d=' }],
    ["say='tis b=2 c=\"3 d=4", undefined, { say: "'tis", b: "2", c: '"3', d: "4" }],
    ["", undefined, {}],
    ["nothing here", undefined, {}]
  ])("reads %j", (text, options, expected) => {
    expect(kv(text, options)).toEqual(expected)
  })

  it("takes any key for what it is", () => {
    const found = kv("__proto__=1 constructor=2")
    expect(Object.entries(found)).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"]
    ])
  })
})

describe("csv", () => {
  it.each<[string, ReadonlyArray<string>]>([
    ["a,b,c", ["a", "b", "c"]],
    ["", [""]],
    [",", ["", ""]],
    ['"a,b",c', ["a,b", "c"]],
    ['"a ""b"" c","",x', ['a "b" c', "", "x"]],
    ['a"b,c', ['a"b', "c"]],
    ['"line\nend",x', ["line\nend", "x"]],
    ["a,b\r\n", ["a", "b"]],
    ["a,b\r", ["a", "b"]],
    ['a,"b\n"', ["a", "b\n"]]
  ])("reads %j", (text, expected) => {
    expect(csv(text)).toEqual(expected)
  })

  it("names the values, those beyond the columns as well", () => {
    expect(csv("1;2;3", ["a", "b"], { separator: ";" })).toEqual({ a: "1", b: "2", column3: "3" })
    expect(csv("'x;y';2", ["a", "b"], { separator: ";", quote: "'" })).toEqual({ a: "x;y", b: "2" })
  })

  it("refuses a record that ends in a quoted value", () => {
    expect(() => csv('"abc')).toThrow("the record ends inside a quoted value")
  })
})

describe("date", () => {
  it.each<[string, string | undefined, Parameters<typeof date>[2], string | null]>([
    ["2026-01-02T03:04:05.678Z", undefined, undefined, "2026-01-02T03:04:05.678Z"],
    ["2026-01-02T03:04:05.678901+02:00", undefined, undefined, "2026-01-02T01:04:05.678Z"],
    ["2026-01-02 03:04:05,678", undefined, undefined, "2026-01-02T03:04:05.678Z"],
    ["2026-01-02T03:04", undefined, { zone: "-0530" }, "2026-01-02T08:34:00.000Z"],
    ["2026-01-02", undefined, undefined, "2026-01-02T00:00:00.000Z"],
    ["2026-02-30", undefined, undefined, null],
    ["2024-02-29", undefined, undefined, "2024-02-29T00:00:00.000Z"],
    ["2026-01-02T25:00:00Z", undefined, undefined, null],
    ["not a date", undefined, undefined, null],
    ["1767225600", "UNIX", undefined, "2026-01-01T00:00:00.000Z"],
    ["1767225600.123456", "UNIX", undefined, "2026-01-01T00:00:00.123Z"],
    ["1767225600123", "UNIX_MS", undefined, "2026-01-01T00:00:00.123Z"],
    ["1e9", "UNIX", undefined, null],
    ["99999999999999", "UNIX", undefined, null],
    ["10/Oct/2000:13:55:36 -0700", "dd/MMM/yyyy:HH:mm:ss Z", undefined, "2000-10-10T20:55:36.000Z"],
    ["Oct 11 22:14:15", "MMM dd HH:mm:ss", { year: 2025 }, "2025-10-11T22:14:15.000Z"],
    ["Oct  1 22:14:15", "MMM d HH:mm:ss", { year: 2025, zone: "+01:00" }, "2025-10-01T21:14:15.000Z"],
    ["Tuesday, 3 March 2026 1:02 PM", "EEEE, d MMMM yyyy h:mm a", undefined, "2026-03-03T13:02:00.000Z"],
    ["12:30 AM 01/02/26", "hh:mm a MM/dd/yy", undefined, "2026-01-02T00:30:00.000Z"],
    ["12:30\u202fAM\u00a001/02/26", "hh:mm a MM/dd/yy", undefined, "2026-01-02T00:30:00.000Z"],
    ["31.12.99", "dd.MM.yy", undefined, "1999-12-31T00:00:00.000Z"],
    ["20260102T030405", "yyyyMMdd'T'HHmmss", undefined, "2026-01-02T03:04:05.000Z"],
    ["2026-01-02 at 3 o'clock", "yyyy-MM-dd 'at' H 'o''clock'", undefined, "2026-01-02T03:00:00.000Z"],
    ["Sept. 1 2026", "MMM d yyyy", undefined, "2026-09-01T00:00:00.000Z"],
    ["Foo 1 2026", "MMM d yyyy", undefined, null],
    ["Mayor 1 2026", "MMM d yyyy", undefined, null],
    ["xyz 1 2 2026", "EEE d M yyyy", undefined, null]
  ])("reads %j as %j", (text, format, options, expected) => {
    expect(date(text, format, options)).toBe(expected)
  })

  it("refuses what it cannot know", () => {
    expect(() => date("Oct 11", "MMM dd")).toThrow("there is no clock: give { year }")
    expect(() => date("x", "QQQ")).toThrow('"QQQ" in the format is not a known field')
    expect(() => date("2026-01-01", "yyyy-MM-dd", { zone: "Mars" })).toThrow('"Mars" is not a zone')
  })
})

describe("cidr", () => {
  it.each<[unknown, ReadonlyArray<unknown>, boolean]>([
    ["10.1.2.3", ["10.0.0.0/8"], true],
    ["11.1.2.3", ["10.0.0.0/8"], false],
    ["10.1.2.3", ["192.168.0.0/16", "10.1.2.0/24"], true],
    ["10.1.2.3", [["192.168.0.0/16", "10.1.2.3"]], true],
    ["255.255.255.255", ["0.0.0.0/0"], true],
    ["::1", ["::1"], true],
    ["2001:db8:0:0:1::", ["2001:db8::/32"], true],
    ["2001:db9::", ["2001:db8::/32"], false],
    ["::ffff:10.0.0.1", ["10.0.0.0/8"], true],
    ["10.0.0.1", ["::/0"], false],
    ["10.0.0.256", ["0.0.0.0/0"], false],
    ["010.0.0.1", ["0.0.0.0/0"], false],
    ["1::2::3", ["::/0"], false],
    ["1:2:3:4:5:6:7:8:9", ["::/0"], false],
    ["host", ["0.0.0.0/0"], false],
    [undefined, ["0.0.0.0/0"], false],
    ["10.0.0.1", [], false]
  ])("%j in %j is %j", (address, networks, expected) => {
    expect(cidr(address, ...networks)).toBe(expected)
  })

  it.each(["10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/8/8", "net"])("refuses the network %j", (network) => {
    expect(() => cidr("10.0.0.1", network)).toThrow("is not a network")
  })
})

describe("helpers in the sandbox", () => {
  it("are the same functions", async () => {
    const program = `return {
      kv: kv('a=1 b="2 3"'), csv: csv('1,2', ['a']), date: date('2026-01-02'), cidr: cidr('::1', '::/64'),
      grok: grok(['^%{NOPE_NOT_HERE:x}', '%{W:w}'].slice(1), 'abc', { W: '[a-c]+' }), dissect: dissect('%{+a} %{+a}', 'x y', '-'),
      none: [grok('^z', 'abc'), dissect('%{a}|%{b}', 'x')]
    }`
    const guest = Result.getOrThrow(await open(program, matching("", "disabled")))
    expect(guest.run([{}], 1000, Number.POSITIVE_INFINITY)).toMatchObject([
      {
        output: {
          kv: { a: "1", b: "2 3" },
          csv: { a: "1", column2: "2" },
          date: "2026-01-02T00:00:00.000Z",
          cidr: true,
          grok: { w: "abc" },
          dissect: { a: "x-y" },
          none: [null, null]
        }
      }
    ])
  })
})
