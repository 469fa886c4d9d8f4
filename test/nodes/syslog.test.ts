import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { Frames } from "../../src/nodes/inputs/syslog/Frames.ts"
import { parseMessage } from "../../src/nodes/inputs/syslog/SyslogMessage.ts"
import { seed } from "../support/random.ts"

const now = new Date("2026-01-02T00:00:00Z")
const parse = (text: string) => parseMessage(text, now)

describe("a syslog message", () => {
  it("of RFC 5424 has all its parts", () => {
    expect(
      parse(
        '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog 1234 ID47 [exampleSDID@32473 iut="3" eventSource="App \\"x\\" \\\\ \\] \\n"][priority@32473 class="high"] \ufeffAn application event'
      )
    ).toEqual({
      priority: 165,
      facility: 20,
      facility_label: "local4",
      severity: 5,
      severity_label: "notice",
      version: 1,
      timestamp: "2003-10-11T22:14:15.003Z",
      hostname: "mymachine.example.com",
      appname: "evntslog",
      procid: "1234",
      msgid: "ID47",
      structured_data: {
        "exampleSDID@32473": { iut: "3", eventSource: 'App "x" \\ ] \\n' },
        "priority@32473": { class: "high" }
      },
      message: "An application event"
    })
    expect(parse("<34>1 - - - - - - hello")).toMatchObject({ priority: 34, message: "hello" })
    expect(parse("<34>1 - - - - - -")).toMatchObject({ message: "" })
    expect(parse("<34>1 - - - - - - hello")).not.toHaveProperty("hostname")
  })

  it("of RFC 5424 has all values of a repeated parameter", () => {
    expect(
      parse(
        '<1>1 - - - - - [origin ip="192.0.2.1" software="x" ip="192.0.2.129" ip=""][__proto__ toString="1" __proto__="2"][__proto__ __proto__="3"] x'
      )?.["structured_data"]
    ).toEqual(
      JSON.parse(
        '{"origin":{"ip":["192.0.2.1","192.0.2.129",""],"software":"x"},"__proto__":{"toString":"1","__proto__":["2","3"]}}'
      )
    )
  })

  it("of RFC 3164 has what it has", () => {
    expect(parse("<34>Oct 11 22:14:15 mymachine su[77]: 'su root' failed on /dev/pts/8")).toMatchObject({
      facility_label: "auth",
      severity_label: "critical",
      timestamp: "2025-10-11T22:14:15Z",
      hostname: "mymachine",
      appname: "su",
      procid: "77",
      message: "'su root' failed on /dev/pts/8"
    })
    expect(parse("<13>Feb  5 17:32:18 10.0.0.99 Use the BFG!")).toMatchObject({
      timestamp: "2026-02-05T17:32:18Z",
      hostname: "10.0.0.99",
      message: "Use the BFG!"
    })
    expect(parse("<13>Jan  1 00:00:01 cron: no host")).toMatchObject({ appname: "cron", message: "no host" })
    expect(parse("<13>just text")).toMatchObject({ message: "just text" })
    expect(parse("<13>2026-01-01T10:00:00+02:00 host app: x")).toMatchObject({
      timestamp: "2026-01-01T10:00:00+02:00",
      hostname: "host",
      appname: "app",
      message: "x"
    })
  })

  it("of RFC 3164 may come from an IPv6 address", () => {
    for (const hostname of ["2001:db8::1", "::ffff:10.0.0.1", "fe80::1", "fe80::1%eth0", "::1", "1:2:3:4:5:6:7:8"]) {
      const found = parse(`<34>Oct 11 22:14:15 ${hostname} sshd[7]: x`)
      expect(found).toMatchObject({ hostname, appname: "sshd", procid: "7", message: "x" })
      expect(parse(`<34>Oct 11 22:14:15 ${hostname} x`)).toMatchObject({ hostname, message: "x" })
    }
  })

  it("of RFC 3164 has the programs' names that senders write", () => {
    for (const appname of [
      ...["CRON", "kernel", "systemd-logind", "postfix/smtpd", "dhcpd.leases", "%ASA-6-302013", "user@1000", "mod_a"],
      ...["/usr/sbin/cron", "(sd-pam)", "su(pam_unix)", "docker/web/4f0c1a2b3c4d", "libstdc++", "7z"]
    ]) {
      expect(parse(`<34>Oct 11 22:14:15 host ${appname}: a: b`)).toMatchObject({
        hostname: "host",
        appname,
        message: "a: b"
      })
      expect(parse(`<34>Oct 11 22:14:15 ${appname}: x`)).toMatchObject({ appname, message: "x" })
      expect(parse(`<34>${appname}[12]:x`)).toMatchObject({ appname, procid: "12", message: "x" })
      expect(parse(`<34>${appname}:`)).toMatchObject({ appname, message: "" })
    }
  })

  const contents = [
    '{"level":"info","msg":"x: y"}',
    '{"time":"10:00:00","a":1}',
    '{"a" : 1}',
    '[{"a": 1}]',
    "time=10:00:00 devname=fw",
    'devname="fw": up',
    "10:00:00 up",
    "2026-01-01T10:00:00.123456789Z x",
    "12: x",
    "https://host/path failed",
    "CEF:0|Security|tm|1.0|100|worm|10|src=10.0.0.1",
    "std::bad_alloc",
    "<a>: x",
    "a,b: c",
    "fe80::1: x",
    "größe: x",
    "C:\\temp full"
  ]

  it.each(contents)("of RFC 3164 without a program is its text: %s", (text) => {
    expect(parse(`<13>${text}`)).toEqual({ ...parse("<13>x"), message: text })
    const found = parse(`<13>Oct 11 22:14:15 host ${text}`)
    expect(found).toEqual({ ...parse("<13>Oct 11 22:14:15 host x"), message: text })
  })

  it.effect.prop(
    "of RFC 3164 loses nothing",
    {
      picked: Schema.Array(
        Schema.Literals([
          ...contents,
          "Oct 11 22:14:15",
          "host",
          "2001:db8::1",
          "app:",
          "app[1]:",
          "[",
          ":",
          " ",
          "  ",
          "é"
        ])
      )
    },
    ({ picked }) =>
      Effect.sync(() => {
        const text = picked.join(" ")
        const found = parse(`<13>${text}`)!
        const named = ["hostname", "appname", "procid"].flatMap((name) => (name in found ? [String(found[name])] : []))
        const without = (whole: string) => whole.replace(/^Oct 11 22:14:15/, "").replace(/[\s:[\]]/g, "")
        const date = found["timestamp"] === undefined ? "" : "Oct 11 22:14:15"
        expect(without(`${date}${named.join("")}${found["message"]}`)).toBe(without(text))
      }),
    { arbitrary: { seed, runs: 1000 } }
  )

  it("of RFC 3164 takes no longer than its length, whatever it has", () => {
    for (const piece of [":", "a:", "1", "a", "%", "[", "a[", " ", "."]) {
      const text = `Oct 11 22:14:15 ${piece.repeat(200_000)}`
      expect(String(parse(`<13>${text}`)?.["message"]).length).toBeGreaterThan(100_000)
    }
  })

  it("of RFC 3164 has no time that does not exist", () => {
    for (const time of [
      "Jun 99 10:00:00",
      "Jun  0 10:00:00",
      "Apr 31 10:00:00",
      "Jun 10 25:00:00",
      "Jun 10 10:60:00",
      "Jun 10 10:00:60",
      "Feb 30 2021 10:00:00",
      "Feb 29 2023 10:00:00",
      "2021-02-30T10:00:00Z",
      "2021-02-28T10:00:00+25:00",
      // Neither 2025, 2026 nor 2027 is a leap year.
      "Feb 29 10:00:00"
    ]) {
      const found = parse(`<13>${time} host app: x`)
      expect(found, time).toMatchObject({ message: `${time} host app: x`, priority: 13 })
      expect(found, time).not.toHaveProperty("timestamp")
    }
    expect(parse("<13>Feb 29 2024 10:00:00 h a: x")).toMatchObject({ timestamp: "2024-02-29T10:00:00Z", hostname: "h" })
    expect(parse("<13>2024-02-29T23:59:59.5+14:00 h a: x")).toMatchObject({ timestamp: "2024-02-29T23:59:59.5+14:00" })
  })

  it("of RFC 3164 has the year that is closest to now", () => {
    const at = (clock: string, date: string) =>
      parseMessage(`<13>${date} 10:00:00 h a: x`, new Date(clock))?.["timestamp"]
    expect(at("2027-03-01T00:00:00Z", "Feb 29")).toBe("2028-02-29T10:00:00Z")
    expect(at("2025-01-01T00:00:00Z", "Feb 29")).toBe("2024-02-29T10:00:00Z")
    expect(at("2025-12-31T23:59:59Z", "Jan  1")).toBe("2026-01-01T10:00:00Z")
    expect(at("2026-01-01T00:00:00Z", "Dec 31")).toBe("2025-12-31T10:00:00Z")
    expect(at("2026-07-01T00:00:00Z", "Jul 15")).toBe("2026-07-15T10:00:00Z")
  })

  it("of RFC 5424 with a time that does not exist is none", () => {
    for (const time of [
      "2021-02-30T10:00:00Z",
      "2021-13-01T10:00:00Z",
      "2021-02-03T24:00:00Z",
      "2021-02-03T10:00:00+19:00"
    ]) {
      expect(parse(`<34>1 ${time} - - - - - x`), time).toBeUndefined()
    }
    expect(parse("<34>1 2024-02-29T10:00:00.123456-03:30 - - - - - x")).toMatchObject({ message: "x" })
  })

  it("is nothing else", () => {
    for (const text of [
      "",
      "hello",
      "<192>x",
      "<-1>x",
      "<01>x",
      "<1",
      "<34>1 not a header",
      '<34>1 - - - - - [x a="b] y'
    ]) {
      expect(parse(text), text).toBeUndefined()
    }
  })
})

const framed = (chunks: ReadonlyArray<Uint8Array>, maxBytes = 64): Array<string> => {
  const messages: Array<string> = []
  const frames = new Frames(maxBytes, (bytes, isCut) => {
    messages.push(new TextDecoder().decode(bytes) + (isCut ? "…" : ""))
  })
  for (const chunk of chunks) frames.push(chunk)
  frames.end()
  return messages
}

const messages = ["<1>a", "<2>b c", `<3>${"x".repeat(61)}`, `<4>${"y".repeat(100)}`, "<5>é 12 <6>", "7 is a line"]
const Picks = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 * messages.length - 1 })))
const Places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3000 })))

describe("frames", () => {
  it.effect.prop(
    "do not depend on how the bytes are cut",
    { picks: Picks, places: Places },
    ({ picks, places }) =>
      Effect.sync(() => {
        const parts = picks.map((pick) => {
          const text = messages[pick % messages.length]!
          return pick < messages.length ? `${Buffer.byteLength(text)} ${text}` : `${text}\n`
        })
        const wanted = picks.map((pick) => {
          const text = messages[pick % messages.length]!
          return text.length > 64 ? `${text.slice(0, 64)}…` : text
        })
        const bytes = Buffer.from(parts.join(""))
        const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index]!, end))
        // Text that starts with a number and has no priority is a line or octet-counted, like the message before it.
        if (picks.some((pick) => pick % messages.length === messages.length - 1)) {
          expect(framed(chunks)).toEqual(framed([bytes]))
        } else expect(framed(chunks)).toEqual(wanted)
      }),
    { arbitrary: { seed, runs: 300 } }
  )

  it("may end in CRLF, NUL or nothing", () => {
    expect(framed([Buffer.from("<1>a\r\n<2>b\u0000<3>c\n\n<4>d")])).toEqual(["<1>a", "<2>b", "<3>c", "<4>d"])
  })

  it("tell a line that begins with a number from one that is counted", () => {
    expect(framed([Buffer.from("12345 apples\n<1>a\n")])).toEqual(["12345 apples", "<1>a"])
    expect(framed([Buffer.from("4 <1>a5 wrong4 <2>b")])).toEqual(["<1>a", "wrong", "<2>b"])
    expect(framed([Buffer.from("4 <1>a\n7 lines\n4 <2>b")])).toEqual(["<1>a", "7 lines", "<2>b"])
    expect(framed([Buffer.from("0 <1>a\n99999999999 <2>b\n12")])).toEqual(["<1>a", "99999999999 <2>b", "12"])
  })

  it("keep nothing of what is too long", () => {
    const long = Buffer.from(`<1>${"x".repeat(100_000)}\n<2>b\n200000 <3>${"y".repeat(199_997)}4 <4>d`)
    const chunks = Array.from({ length: Math.ceil(long.length / 1000) }, (_, i) =>
      long.subarray(i * 1000, i * 1000 + 1000)
    )
    expect(framed(chunks)).toEqual([`<1>${"x".repeat(61)}…`, "<2>b", `<3>${"y".repeat(61)}…`, "<4>d"])
  })
})
