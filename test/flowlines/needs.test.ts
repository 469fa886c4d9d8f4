import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { parse } from "../../src/services/flowlines/Decoder.ts"

const needs = (name: string, text: string) =>
  Result.getOrThrow(parse({ name, bytes: new TextEncoder().encode(text) })).needs

describe("what a flowline needs for its validation", () => {
  it("is what its document names, also with escapes", () => {
    const text = String.raw`{"runtime": "p\u0079batch", "dag": [
      {"type": "gr\u006fk", "settings": {"patterns": ["%{OWN:x}"]}},
      {"type": "fil\u0065_input", "settings": {"path": "a.csv"}},
      {"type": "s\u0071l", "settings": {"st\u0061tement": "FROM file_input"}}
    ]}`
    expect(needs("f.json", text)).toMatchObject({
      ownNodes: true,
      patterns: true,
      sql: [
        { component: "grok", relation: undefined },
        { component: "file_input", relation: { path: "a.csv" } },
        { component: "sql", relation: { statement: "FROM file_input" } }
      ]
    })
  })

  it("is a thread where expressions may take long to compile", () => {
    const heavy = (settings: object) =>
      needs("f.json", JSON.stringify({ runtime: "stream", dag: [{ type: "grok", settings }] })).heavy
    const usual = [{ patterns: ["^%{IP:client} %{WORD:verb}$"] }, { patterns: ["%{COMBINEDAPACHELOG}"] }, { match: 1 }]
    expect(usual.map(heavy)).toEqual([false, false, false])
    const long = ["\\X".repeat(50), "a|".repeat(50), "%{A} %{B} %{C}"]
    expect(long.map((one) => heavy({ patterns: [one] }))).toEqual([true, true, true])
    expect(long.map((one) => heavy({ match: { message: [one] } }))).toEqual([true, true, true])
    expect(heavy({ patterns: ["%{A}"], definitions: { A: "\\X".repeat(50) } })).toBe(true)
    const several = (count: number) =>
      needs("f.json", JSON.stringify({ dag: Array(count).fill({ type: "grok", settings: { patterns: ["%{A}"] } }) }))
    expect([several(2).heavy, several(3).heavy]).toEqual([false, true])
  })

  it("are the tenant's nodes where the runtime is misspelt, and a node is not in the catalogue", () => {
    const of = (type: string) => needs("f.yaml", `runtime: pybatsch\ndag: [ { type: ${type} } ]`)
    expect([of("mine").ownNodes, of("show").ownNodes]).toEqual([true, false])
  })

  it("is not what only its comments and texts speak of", () => {
    const text = `# grok, sql and pybatch
runtime: stream
description: "pybatch with sql and grok"
dag:
  - { type: generator_input, component: grok, settings: { messages: [ "SELECT sql" ] } }
  - { type: json, component: sql }
  - { type: sql, settings: { statement: 1 } }
`
    expect(needs("f.yaml", text)).toEqual({ ownNodes: false, patterns: false, heavy: false, sql: [] })
  })
})
