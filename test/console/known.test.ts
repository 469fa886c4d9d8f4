import { describe, expect, it } from "@effect/vitest"
import { parse } from "yaml"
import { example, exampleFlowline } from "../../packages/console/src/pages/flowlines/examples.ts"
import { formatsOf } from "../../packages/console/src/pages/flowlines/formats.ts"
import { yamlTools } from "../../packages/console/src/pages/flowlines/yamlTools.ts"

describe("a text that is known before it is read", () => {
  it("is the example, which says what it is said to say", () => expect(parse(example)).toEqual(exampleFlowline))

  it.each([
    ["yaml", "yaml", "runtime: stream\ndag: []\n"],
    ["yaml", "yaml", "# // none\nname: http://a\n"],
    ["json", "json", '{ "runtime": "stream", "dag": [] }'],
    ["json", "json", '\n{\n  "dag": []\n}\n'],
    ["hjson yaml", "yaml", "{ runtime: stream, dag: [] }"],
    ["hjson yaml", "hjson", "{\n  runtime: stream\n  dag: []\n}"],
    ["hjson yaml", "hjson", "/* a */ {\n  dag: [ }"],
    ["yaml hjson", "hjson", "// a\nruntime: stream\n"],
    ["yaml hjson", "hjson", "name: '''a'''\nother: x: y\n"],
    ["yaml hjson", "yaml", "name: |\n  // a\n"]
  ])("may be %s, and is %s: %j", (formats, format, text) => {
    expect(formatsOf(text, undefined)).toEqual(formats.split(" "))
    expect(yamlTools.notationOf(text, null).format).toBe(format)
  })

  it("is told at once, behind any comments", () => {
    const banner = "#".repeat(100_000)
    expect(formatsOf(`${banner}\nname: x\n`, undefined)).toEqual(["yaml"])
    expect(formatsOf(`${banner}\n/* { */ {\n  a: 1\n}`, undefined)).toEqual(["hjson", "yaml"])
  })

  it("is what the name of its file says, whatever it looks like", () => {
    for (const [name, format] of [
      ["a.yaml", "yaml"],
      ["a.YML", "yaml"],
      ["a.b.hjson", "hjson"],
      ["a.json", "json"]
    ] as const)
      expect(formatsOf('{ "a": 1 }', name)).toEqual([format])
    expect(formatsOf("a: 1", "a.txt")).toEqual(["yaml"])
  })
})
