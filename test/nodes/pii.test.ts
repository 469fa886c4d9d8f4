import { createHash, createHmac } from "node:crypto"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { pii } from "../../src/nodes/processing/Pii.ts"
import { detector, type Kind, kinds } from "../../src/nodes/processing/pii/Detectors.ts"
import { hmac } from "../../src/nodes/processing/pii/Hmac.ts"
import { random, seed } from "../support/random.ts"
import { Memory } from "./memory.ts"
import { issues, of } from "./one.ts"

const sha256 = () => {
  const hash = createHash("sha256")
  return { update: (bytes: Uint8Array) => void hash.update(bytes), hex: () => hash.digest("hex") }
}

const found = (kind: Kind, text: string) => detector([kind])(text).map(({ from, to }) => text.slice(from, to))

/** Texts with the expected findings. */
const texts: Readonly<Record<Kind, ReadonlyArray<readonly [text: string, ...parts: ReadonlyArray<string>]>>> = {
  email: [
    ["From: <ada.l+x@mail.example.org>, bob@exämple.de.", "ada.l+x@mail.example.org", "bob@exämple.de"],
    ["john.o'brien@a.de, name='ada@a.de', it's 'bob'@a.de", "john.o'brien@a.de", "ada@a.de"],
    ["a@b, @c.de, user@localhost, x@-a.de"]
  ],
  ipv4: [
    ["10.0.0.1:80 and (255.255.255.255).", "10.0.0.1", "255.255.255.255"],
    ["1.2.3, 1.2.3.4.5, 256.1.1.1, 1.2.3.04"]
  ],
  ipv6: [
    ["from fe80::1: ::1, [2001:db8::ff00:42:8329]:80", "fe80::1", "::1", "2001:db8::ff00:42:8329"],
    ["::ffff:10.0.0.1 1:2:3:4:5:6:7:8", "::ffff:10.0.0.1", "1:2:3:4:5:6:7:8"],
    ["10:20:30 aa:bb:cc:dd:ee:ff std::vector ::: 1::2::3 1:2:3:4:5:6:7:8:9 :: g::1"]
  ],
  card: [
    ["4111 1111 1111 1111, 5500-0000-0000-0004", "4111 1111 1111 1111", "5500-0000-0000-0004"],
    ["on 2026 4111 1111 1111 1111 123 and 378282246310005.", "4111 1111 1111 1111", "378282246310005"],
    ["4111 1111 1111 1112, 1763800000000, x4111111111111111, 4111111111111111a, 41111111111111111111"]
  ],
  iban: [
    ["to DE89 3704 0044 0532 0130 00 OK", "DE89 3704 0044 0532 0130 00"],
    ["AB12 some gb82west12345698765432.", "gb82west12345698765432"],
    ["DE88370400440532013000, DE893704004405320130001, XX89370400440532013000"]
  ],
  phone: [
    ["call +49 (30) 123-4567 or +14155552671!", "+49 (30) 123-4567", "+14155552671"],
    ["10:00+0200, +123, 030 1234567, 1+12345678"]
  ]
}

describe("pii", () => {
  for (const kind of kinds) {
    it(`finds what is ${kind}, and nothing that only looks like it`, () => {
      for (const [text, ...parts] of texts[kind]) expect([text, found(kind, text)]).toEqual([text, parts])
    })
  }

  it("finds in any text the addresses that one expression from the first character on finds", () => {
    const email =
      /(?:[\p{L}\p{N}._%+-]|(?<=\p{L})['’](?=\p{L})){1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}[\p{L}\p{N}-]{2,63}/gu
    const { below } = random(seed)
    const pieces = ["a", "b1", "é", "𝒜", "@", "@", ".", ".de", "-", "'", " ", "x".repeat(40)]
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: below(14) }, () => pieces[below(pieces.length)]).join("")
      expect([text, found("email", text)]).toEqual([text, text.match(email) ?? []])
    }
  })

  it("hides whole fields with all that is in them", async () => {
    const event = { user: { name: "Ada Lovelace", tags: ["😀é", 12345, null, true] }, n: 1 }
    const of1 = async (settings: object) =>
      (await of(pii, { fields: ["user", "none"], ...settings }, [event])).records[0]
    expect(await of1({ action: "redact" })).toEqual({
      user: { name: "[redacted]", tags: ["[redacted]", "[redacted]", null, "[redacted]"] },
      n: 1
    })
    expect(await of1({ action: "mask", keep: 2 })).toEqual({
      user: { name: "**********ce", tags: ["**", "***45", null, "**ue"] },
      n: 1
    })
    expect(await of1({ action: "truncate", keep: 1 })).toEqual({
      user: { name: "A", tags: ["😀", "1", null, "t"] },
      n: 1
    })
    expect(await of1({ action: "truncate", keep: 0 })).toMatchObject({ user: { name: "" } })
  })

  it("hides what it finds in all texts and numbers, and nothing else", async () => {
    const event = {
      message: "ada@example.org from 10.0.0.1 and 10.0.0.2",
      deep: [{ card: 4111111111111111, ok: "10.0.0" }],
      "ada@example.org": "name"
    }
    const settings = { action: "redact", detect: ["email", "ipv4", "card"], replacement: "$&" }
    expect((await of(pii, settings, [event])).records[0]).toEqual({
      message: "$& from $& and $&",
      deep: [{ card: "$&", ok: "10.0.0" }],
      "ada@example.org": "name"
    })
    const untouched = { message: "nothing", list: [{ a: 1 }] }
    const { records } = await of(pii, settings, [untouched])
    expect(records[0]).toEqual(untouched)
  })

  it("hashes with a key, as others do", async () => {
    const key = "0123456789abcdef"
    const instance = await pii.start(
      Schema.decodeUnknownSync(pii.settings)({ action: "hash", fields: ["user", "n"], key }),
      { ...new Memory().nodeContext("pii"), sha256 }
    )
    const sent: Array<Event> = []
    await instance.process?.([{ user: "ada", n: 5 }], (_, batch) => void sent.push(...batch))
    const expected = (text: string) => createHmac("sha256", key).update(text).digest("hex")
    expect(sent).toEqual([{ user: expected("ada"), n: expected("5") }])
  })

  it("sends nothing on of a record that is too deep to be looked through", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}"ada@example.org"${"}".repeat(5000)}`) as Event
    const memory = new Memory()
    const settings = Schema.decodeUnknownSync(pii.settings)({ action: "redact", detect: ["email"] })
    const instance = await pii.start(settings, memory.nodeContext("pii"))
    const sent: Array<unknown> = []
    await instance.process?.([deep, { a: 1 }], (stream, batch) => void sent.push([stream, batch]))
    expect(sent).toEqual([
      ["*", [{ a: 1 }]],
      ["errors", [{ error: { node: "pii", reason: "the record is nested deeper than 200 levels" } }]]
    ])
  })

  it("keeps odd names, and changes no prototype", async () => {
    const odd = JSON.parse('{"__proto__":{"mail":"a@b.de"},"constructor":"a@b.de"}') as Event
    const { records } = await of(pii, { action: "redact", detect: ["email"], replacement: "-" }, [odd])
    expect(JSON.stringify(records[0])).toBe('{"__proto__":{"mail":"-"},"constructor":"-"}')
  })

  it("refuses settings that hide nothing or cannot hash", () => {
    expect(issues(pii, { action: "redact" })).toEqual([""])
    expect(issues(pii, { action: "hash", fields: ["a"] })).toEqual(["key"])
    expect(issues(pii, { action: "mask", fields: ["a"], key: "0123456789abcdef" })).toEqual(["key"])
    expect(issues(pii, { action: "hide", fields: ["__proto__"], key: "short", detect: ["mail"] })).toEqual([
      "action",
      "fields/0",
      "detect/0",
      "key"
    ])
  })

  it("takes time in proportion to the length of any text", () => {
    const find = detector(kinds)
    const pieces = ["a", "1", "1 ", ":", "a:", "a.", "1.", "@", "a@a.", "+1", "+1 ", "DE89 ", "DE8937", "-1", "é1"]
    const steps = (length: number) => {
      const began = process.cpuUsage().user
      for (const piece of pieces) find(`${piece.repeat(length / piece.length)}\u0000`)
      return process.cpuUsage().user - began
    }
    steps(10_000)
    // Twice the text takes about twice the time; quadratic work would take four times. Both run on the same processor.
    const [few, many] = [Math.min(steps(10_000), steps(10_000)), Math.min(steps(80_000), steps(80_000))]
    expect(many / few).toBeLessThan(32)
  })

  it.effect.prop(
    "hashes as node:crypto does",
    { key: Schema.NonEmptyString, text: Schema.String },
    ({ key, text }) =>
      Effect.sync(() => {
        const long = key.repeat(1 + (text.length % 40))
        const expected = createHmac("sha256", Buffer.from(long.toWellFormed()))
          .update(text.toWellFormed())
          .digest("hex")
        expect(hmac(sha256, long.toWellFormed())(text.toWellFormed())).toBe(expected)
      }),
    { arbitrary: { seed, runs: 200 } }
  )

  it.effect.prop(
    "finds nothing in what it has redacted, and changes nothing else",
    {
      words: Schema.Array(
        Schema.Union([
          Schema.Literals(kinds.flatMap((kind) => texts[kind].flatMap(([, ...parts]) => parts))),
          Schema.Literals(["hello", "10:20", "12", "é", "x-y"])
        ])
      ).check(Schema.isMaxLength(12))
    },
    ({ words }) =>
      Effect.promise(async () => {
        const secret = new Set(kinds.flatMap((kind) => texts[kind].flatMap(([, ...parts]) => parts)))
        const settings = { action: "redact", detect: kinds, replacement: "[x]" }
        const { records } = await of(pii, settings, [{ m: words.join(", ") }])
        expect(records).toEqual([{ m: words.map((word) => (secret.has(word) ? "[x]" : word)).join(", ") }])
        expect((await of(pii, settings, records)).records).toEqual(records)
      }),
    { arbitrary: { seed, runs: 300 } }
  )
})
