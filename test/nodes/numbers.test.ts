import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { parseJson } from "../../src/languages/json/JsonValue.ts"
import { encoder } from "../../src/nodes/formats/Encoder.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { seed } from "../support/random.ts"
import { Memory, run } from "./memory.ts"

const lossy = [
  "9007199254740993",
  "-9223372036854775808",
  "18446744073709551615",
  "12345678901234567.89",
  "0.1234567890123456789",
  "1e400",
  "-1E+400",
  "1e-400",
  "1.5e308123"
]
const safe = ["0", "-0.5", "1e300", "1e-300", "9007199254740991", "0.1", "123456789012345.6", "2.2250738585072014e-308"]

describe("numbers of JSON", () => {
  it("become texts where a double would lose something of them", () => {
    for (const text of lossy) expect(parseJson(`{"a":[${text}]}`), text).toEqual({ a: [text] })
    for (const text of safe) expect(parseJson(`{"a":[${text}]}`), text).toEqual({ a: [Number(text)] })
    expect(parseJson('{"a":"9007199254740993, 1e400"}')).toEqual({ a: "9007199254740993, 1e400" })
  })

  it.effect.prop(
    "are equal to what is written of them",
    {
      sign: Schema.Literals(["", "-"]),
      whole: Schema.BigInt,
      fraction: Schema.Literals(["", ".5", ".10", ".000000000000000000001", ".9999999999999999"]),
      exponent: Schema.Int.check(Schema.isBetween({ minimum: -420, maximum: 420 }))
    },
    ({ sign, whole, fraction, exponent }) =>
      Effect.sync(() => {
        const digits = String(whole).replace("-", "")
        const text = `${sign}${digits}${fraction}${exponent === 0 ? "" : `e${exponent}`}`
        const found = parseJson(text)
        if (typeof found === "string") return expect(found).toBe(text)
        // Written again it is the same number, to the last digit.
        expect(typeof found).toBe("number")
        expect(JSON.parse(JSON.stringify(found)) === Number(text), text).toBe(true)
        expect(Number.isFinite(found)).toBe(true)
      }),
    { arbitrary: { seed, runs: 1000 } }
  )

  it("pass through a flowline into ndjson and csv", async () => {
    const numbers = [...lossy, ...safe]
    const memory = new Memory({ "a.ndjson": numbers.map((text) => `{"n":${text}}\n`).join("") })
    const subscribe = [{ component: "file_input", stream: "s" }]
    await run(
      {
        runtime: "stream",
        dag: [
          { type: "file_input", settings: { path: "a.ndjson" }, publish: [{ stream: "s" }] },
          { type: "file_output", settings: { path: "o.ndjson" }, subscribe },
          { type: "archive_output", settings: { entry: "o.csv" }, subscribe }
        ]
      },
      memory
    )
    const wanted = [...lossy, ...safe.map((text) => String(Number(text)))]
    expect(memory.entries.get("o.csv")).toBe(["n", ...wanted, ""].join("\r\n"))
    const read = (memory.written.get("o.ndjson") ?? "").trimEnd().split("\n")
    expect(read.map((line) => String((JSON.parse(line) as Event)["n"]))).toEqual(wanted)
    expect(encoder("csv", ["n"]).encode([{ n: Number.NaN }, { n: Number.POSITIVE_INFINITY }])).toBe(
      "n\r\nNaN\r\nInfinity\r\n"
    )
  })
})
