import { describe, expect, it } from "vitest"
import { readRaw } from "../../src/languages/json/JsonNumbers.ts"
import type { Event, NodeType } from "../../src/nodes/Node.ts"
import { csv } from "../../src/nodes/processing/Csv.ts"
import { date } from "../../src/nodes/processing/Date.ts"
import { dissect } from "../../src/nodes/processing/Dissect.ts"
import { grok } from "../../src/nodes/processing/Grok.ts"
import { json } from "../../src/nodes/processing/Json.ts"
import { kv } from "../../src/nodes/processing/Kv.ts"
import { issues, of } from "./one.ts"

interface Case {
  readonly node: NodeType
  readonly settings: Record<string, unknown>
  readonly good: string
  readonly bad?: string
  readonly parsed: Event
}

const cases: ReadonlyArray<Case> = [
  { node: grok, settings: { patterns: ["^%{INT:a}$"] }, good: "1", bad: "x", parsed: { a: "1" } },
  { node: dissect, settings: { pattern: "%{a}-%{b}" }, good: "1-2", bad: "x", parsed: { a: "1", b: "2" } },
  { node: kv, settings: {}, good: "a=1", parsed: { a: "1" } },
  { node: csv, settings: { columns: ["a", "b"] }, good: "1,2", bad: "1,2,3", parsed: { a: "1", b: "2" } },
  { node: json, settings: {}, good: '{"a":"1"}', bad: "{", parsed: { a: "1" } },
  {
    node: date,
    settings: { formats: ["UNIX"], target: "a" },
    good: "1",
    bad: "x",
    parsed: { a: "1970-01-01T00:00:01.000Z" }
  }
]

const decorations = {
  add_field: { "[from][%{host}]": "%{message}/%{a}", source: ["x", "%{none}"] },
  remove_field: ["message", "[deep][gone]", "%{host}"],
  add_tag: ["parsed", "on-%{host}"],
  remove_tag: "raw"
}
const event = (message: string) => ({ message, host: "h", h: 1, tags: ["raw"], deep: { gone: 1, kept: 2 } })

describe("numbers that are parsed as texts", () => {
  it("keep the digits in which they were written", async () => {
    const record = readRaw('{"message":1.0,"b":2.50,"c":1e3}') as Event
    for (const [node, settings] of [
      [grok, { patterns: ["^%{NOTSPACE:text}$"], add_field: { b_text: "%{b}" } }],
      [dissect, { pattern: "%{text}", add_field: { b_text: "%{b}" } }]
    ] as const) {
      const { records } = await of(node, settings, [record])
      expect(records).toMatchObject([{ text: "1.0", b_text: "2.50" }])
    }
    expect((await of(csv, { columns: ["text"] }, [record])).records).toMatchObject([{ text: "1.0" }])
    expect((await of(dissect, { field: "c", pattern: "%{text}" }, [record])).records).toMatchObject([{ text: "1e3" }])
  })

  it("keep the zeros of captured numbers and times", async () => {
    const text = "16:13:38.820 1.0 007 2.50"
    const parsed = { t: "16:13:38.820", v: "1.0", n: "007", d: "2.50" }
    const patterns = ["^%{TIME:t} %{NUMBER:v} %{INT:n} %{BASE10NUM:d}$"]
    expect((await of(grok, { patterns }, [text])).records).toMatchObject([parsed])
    expect((await of(dissect, { pattern: "%{t} %{v} %{n} %{d}" }, [text])).records).toMatchObject([parsed])
  })
})

describe("what parsing nodes do to a record that they parsed", () => {
  for (const { node, settings, good, bad, parsed } of cases) {
    it(`${node.type} adds and removes fields and tags`, async () => {
      const { records } = await of(node, { ...settings, ...decorations }, [event(good)])
      expect(records).toEqual([
        {
          host: "h",
          deep: { kept: 2 },
          ...parsed,
          from: { h: `${good}/${parsed["a"]}` },
          source: ["x", "%{none}"],
          tags: ["parsed", "on-h"]
        }
      ])
    })

    it(`${node.type} leaves a record alone that it did not parse`, async () => {
      const lenient = { ...settings, ...decorations, ignore_missing: true }
      expect((await of(node, lenient, [{ host: "h", h: 1 }])).records).toEqual([{ host: "h", h: 1 }])
      if (bad === undefined) return
      const { records, errors } = await of(node, { ...settings, ...decorations }, [event(bad)])
      expect([records, errors.length]).toEqual([[], 1])
    })

    it(`${node.type} refuses names that no field may have, and writes none that a record brings`, async () => {
      const bad = { add_field: { "[a][__proto__]": "x", fine: "x" }, remove_field: ["fine", "prototype"] }
      expect(issues(node, { ...settings, ...bad })).toEqual(["add_field/[a][__proto__]", "remove_field/1"])
      expect(issues(node, { ...settings, remove_field: "constructor" })).toEqual(["remove_field"])
      const { records } = await of(node, { ...settings, add_field: { "%{host}": "x" } }, [
        { message: good, host: "__proto__" }
      ])
      expect(Object.keys(records[0] ?? {})).not.toContain("__proto__")
    })
  }
})
