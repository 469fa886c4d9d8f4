import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Masking } from "../../src/protocol/Masking.ts"

const token = 's3cret/Value+with "quotes" & ümlauts'

/** Notations in which programs write a text, produced by other code than the tested one. */
const written = (value: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(value)
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(JSON.stringify(value)).slice(3, -3),
    encodeURIComponent(value),
    new URLSearchParams({ a: value }).toString().slice(2),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    Buffer.from(`user:${value}`).toString("base64"),
    Buffer.from(`a:${value}:b`).toString("base64url")
  ]
}

describe("masking", () => {
  it("replaces every way in which a value is usually written", () => {
    const masking = new Masking([token])
    for (const form of written(token)) {
      const masked = masking.text(`before ${form} after`)
      expect(masked).toMatch(/^before \S{0,8}\*\*\*\S{0,8} after$/)
      expect(masked).not.toContain(form)
    }
  })

  it("replaces values as Python writes them in messages", () => {
    // Printed by Python's repr.
    for (const [value, form] of [
      ['a"b\\c\td', `'a"b\\\\c\\td'`],
      ["it's\\n", `"it's\\\\n"`],
      [`both ' and "\\`, `'both \\' and "\\\\'`],
      ['bell\u0007"\\é', `'bell\\x07"\\\\é'`]
    ] as const) {
      expect(new Masking([value]).text(`KeyError: ${form}`)).toMatch(/^KeyError: ['"]\*\*\*['"]$/)
    }
  })

  it("leaves other texts as they are", () => {
    const masking = new Masking([token])
    for (const text of ["", "s3cre", "nothing", "a s3cret of others", "***", "s3cret/Value-", "a\nb\r\n"]) {
      expect(masking.text(`${text} .`)).toBe(`${text} .`)
    }
    expect(new Masking(["abc"]).text("abc")).toBe("abc")
    expect(new Masking([]).text(token)).toBe(token)
  })

  it("masks a value that is cut between lines, and the lines of one with several", () => {
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----"
    const lines = new Masking([key]).following()
    expect(["key:", ...key.split("\n"), "end"].map(lines)).toEqual(["key:", "***", "***", "***", "***", "end"])
    const pieces = new Masking(["correcthorsebattery"]).following()
    expect(["a correct", "horse", "battery b", "correct no"].map(pieces)).toEqual([
      "a ***",
      "***",
      "*** b",
      "correct no"
    ])
  })

  it("masks what is left of a value whose end was cut off", () => {
    const masking = new Masking(["correcthorsebatterystaple"])
    expect(masking.text("| correcth… |")).toBe("| ***… |")
    expect(masking.text('{"reason":"not a zone: correcthorsebatt"}')).toBe('{"reason":"not a zone: ***"}')
    expect(masking.text("no date: correcth")).toBe("no date: ***")
  })

  it("masks what a mask would complete", () => {
    expect(new Masking(["a***"]).text("x aa***")).toBe("x ***")
    expect(new Masking(["***b"]).text("a***bb")).toBe("a***")
  })

  const Value = Schema.String.check(Schema.isMinLength(4), Schema.isMaxLength(12))
  // Few letters, so that values occur, overlap and start again within themselves.
  const few = (least: number, most: number) =>
    Schema.String.check(Schema.isPattern(new RegExp(`^[a*]{${least},${most}}$`)))

  it.prop(
    "leaves no occurrence of any value in any text",
    { value: Value, before: Schema.String, after: Schema.String },
    ({ value, before, after }) => {
      const well = value.toWellFormed()
      const masking = new Masking([well])
      for (const form of written(well)) {
        const masked = masking.text(`${before}${form}${after}`)
        if (!/[\r\n]/.test(form)) expect(masked).not.toContain(form)
        expect(masked.replace(/[\r\n]/g, "")).not.toContain(form.replace(/[\r\n]/g, "").padEnd(4, "\0"))
      }
      return true
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "leaves no occurrence where values overlap and contain the mask",
    { one: few(4, 6), other: few(4, 5), text: few(0, 40) },
    ({ one, other, text }) => {
      const masked = new Masking([one, other]).text(text)
      expect(masked).not.toContain(one)
      expect(masked).not.toContain(other)
      return true
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "leaves no occurrence in lines together, however they are cut",
    {
      value: Schema.String.check(Schema.isPattern(/^[abc]{5,9}$/)),
      text: Schema.String.check(Schema.isPattern(/^[abc]{0,60}$/)),
      cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))
    },
    ({ value, text, cuts }) => {
      const lines: Array<string> = []
      let rest = `${text}${value}${text}`
      for (const cut of [...cuts, rest.length]) {
        lines.push(rest.slice(0, cut))
        rest = rest.slice(cut)
      }
      const masked = lines.map(new Masking([value]).following())
      expect(masked.join("")).not.toContain(value)
      expect(masked.join("")).toContain("***")
      return true
    },
    { arbitrary: { runs: 500 } }
  )
})
