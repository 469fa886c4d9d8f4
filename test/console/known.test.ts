import { describe, expect, it } from "@effect/vitest"
import { parse } from "yaml"
import { example, exampleFlowline } from "../../packages/console/src/pages/flowlines/examples.ts"
import { readFlowlineText } from "../../packages/console/src/parts/dag/FlowlineText.ts"
import { notationOf } from "../../packages/console/src/parts/dag/notation.ts"

describe("a text that is known before it is read", () => {
  it("is the example, which says what it is said to say", () => expect(parse(example)).toEqual(exampleFlowline))

  it.each([
    ["yaml", "runtime: stream\ndag: []\n"],
    ["yaml", "# // none\nname: http://a\n"],
    ["json", '{ "runtime": "stream", "dag": [] }'],
    ["json", '\n{\n  "dag": []\n}\n'],
    [undefined, "{ runtime: stream, dag: [] }"],
    [undefined, "{\n  runtime: stream\n  dag: []\n}"],
    [undefined, "// a\nruntime: stream\n"],
    [undefined, "name: '''\n  a\n  '''\n"]
  ])("is taken for %s where that is sure: %j", (notation, text) => {
    expect(notationOf(text)).toBe(notation)
    if (notation !== undefined) expect(readFlowlineText(text).format).toBe(notation)
  })
})
