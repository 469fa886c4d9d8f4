import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"
import { chunks } from "../../packages/console/src/pages/tester/Chunks.ts"
import { emptyDraft, readDraft, sameJson } from "../../packages/console/src/pages/tester/Draft.ts"
import { fieldPlaces, plainName, segments } from "../../packages/console/src/pages/tester/Fields.ts"
import { nodeYaml } from "../../packages/console/src/pages/tester/Yaml.ts"
import { visible } from "../../packages/console/src/parts/values.ts"

const runs = { arbitrary: { runs: 500 } }
const Text = Schema.String
const Lines = Schema.Array(Schema.String)
const Span = Schema.Struct({
  start: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
  length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
})

describe("samples in parts", () => {
  it.prop(
    "are all of the samples, cut at line ends and counted on",
    { lines: Lines, times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 900 })) },
    ({ lines, times }) => {
      const text = `${lines.join("\n")}\n`.repeat(times)
      const found = [...chunks(text)]
      expect(found.map((chunk) => chunk.text).join("")).toBe(text)
      let before = 0
      for (const chunk of found) {
        expect(chunk.before).toBe(before)
        before += chunk.text.split("\n").length - 1
      }
      for (const chunk of found.slice(0, -1)) expect(chunk.text.endsWith("\n")).toBe(true)
    },
    { arbitrary: { runs: 100 } }
  )

  it("end at a hundred thousand lines", () => {
    const found = [...chunks("x\n".repeat(150_000))]
    expect(found.reduce((sum, { text }) => sum + text.length, 0)).toBe(200_000)
    expect(found[0]!.text.length).toBe(400)
  })
})

describe("the parts of a sample", () => {
  it.prop(
    "are all of it, whatever the captures",
    { text: Text, spans: Schema.Array(Span) },
    ({ text, spans }) => {
      const captures = spans.map(({ start, length }, at) => ({ name: `f${at}`, start, end: start + length }))
      expect(
        segments(text, captures)
          .map((segment) => segment.text)
          .join("")
      ).toBe(text)
    },
    runs
  )

  it("have the names of the inner captures", () => {
    const captures = [
      { name: "[url][all]", start: 0, end: 5 },
      { name: "path", start: 1, end: 3 }
    ]
    expect(segments("abcde!", captures)).toEqual([
      { text: "a", name: "url.all" },
      { text: "bc", name: "path" },
      { text: "de", name: "url.all" },
      { text: "!" }
    ])
  })

  it.prop(
    "show no character that is not seen or turns others around",
    { text: Text },
    ({ text }) => {
      expect(visible(text)).not.toMatch(
        /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/
      )
    },
    runs
  )

  it("keep what joins emoji and letters of scripts that need it, and nothing else", () => {
    for (const text of ["👩‍👩‍👧‍👦", "👩🏽‍🚀", "🏳️‍🌈", "می\u200cخواهم", "क्\u200dष"]) expect(visible(text)).toBe(text)
    expect(visible("pay\u200dpal")).toBe("pay⟨U+200D⟩pal")
    expect(visible("\u200cمی")).toBe("⟨U+200C⟩می")
    expect(visible("👩\u200d")).toBe("👩⟨U+200D⟩")
    expect(visible("مرحبا\u202egnol")).toBe("مرحبا⟨U+202E⟩gnol")
  })
})

describe("the fields of patterns", () => {
  it("are found where they stand, in each operator", () => {
    const grok = "# %{WORD:no}\n%{INT:a:int} (?<b>x) %{WORD} %{POSINT:[c][d]?} %{X:e=[a-z]+}"
    expect(fieldPlaces("grok", grok).map(({ name, start, end }) => [name, grok.slice(start, end)])).toEqual([
      ["a", "%{INT:a:int}"],
      ["b", "(?<b>"],
      ["c.d", "%{POSINT:[c][d]?}"],
      ["e", "%{X:e=[a-z]+}"]
    ])
    const dissect = "%{a} %{+b/2} %{?skipped} %{} %{c->} %{d|int}"
    expect(fieldPlaces("dissect", dissect).map(({ name }) => name)).toEqual(["a", "b", "c", "d"])
    expect(fieldPlaces("flowlet", "%{WORD:x}")).toEqual([])
    expect(plainName("[a][b]")).toBe("a.b")
  })
})

describe("the node of a draft", () => {
  it.prop(
    "has the texts as they are",
    { patterns: Lines, code: Text, definitions: Text },
    ({ patterns, code, definitions }) => {
      const kept = patterns.flatMap((text) => {
        const line = text.replaceAll(/[\r\n]/g, "")
        return line === "" || line.startsWith("#") || !line.isWellFormed() ? [] : [line]
      })
      const draft = {
        ...emptyDraft,
        texts: { grok: kept.join("\n"), dissect: kept.join("\n"), flowlet: code },
        definitions
      }
      const [grok] = parse(nodeYaml(draft))
      expect(grok.settings.patterns ?? []).toEqual(kept)
      const [dissect] = parse(nodeYaml({ ...draft, operator: "dissect" }))
      expect(dissect.settings.pattern).toBe(kept[0] ?? "")
      if (!code.isWellFormed()) return
      const [flowlet] = parse(nodeYaml({ ...draft, operator: "flowlet" }))
      expect(flowlet.settings.code).toBe(code.replace(/\n+$/, ""))
    },
    runs
  )
})

describe("a draft of elsewhere", () => {
  it.prop(
    "is read as it was written",
    { samples: Text, grok: Text, ecs: Schema.Boolean, expected: Schema.Array(Text) },
    ({ samples, grok, ecs, expected }) => {
      const expectations = expected.map((sample) => ({ sample, output: { sample } }))
      const draft = { ...emptyDraft, samples, ecs, texts: { ...emptyDraft.texts, grok }, expectations }
      expect(readDraft(JSON.parse(JSON.stringify(draft)))).toEqual(draft)
    },
    runs
  )

  it("is none when it is something else", () => {
    for (const value of [null, 1, "x", [], {}, { operator: "rm" }]) expect(readDraft(value)).toBeUndefined()
    expect(readDraft({ operator: "grok", texts: 7, samples: {}, expectations: [1, {}] })).toEqual(emptyDraft)
  })

  it("is the same JSON whatever the order of members", () => {
    expect(sameJson({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true)
    for (const [one, other] of [
      [{ a: 1 }, { a: 1, b: 1 }],
      [[1], { 0: 1 }],
      [{ a: undefined }, { b: 1 }],
      [1, "1"]
    ]) {
      expect(sameJson(one, other)).toBe(false)
    }
  })
})
