import { describe, expect, it } from "@effect/vitest"
import { hjson, json } from "../../packages/console/src/pages/flowlines/hjson.ts"
import { renamed } from "../../packages/console/src/pages/flowlines/textEdits.ts"
import { yaml } from "../../packages/console/src/pages/flowlines/yaml.ts"

describe("another name", () => {
  it("of a node is that in the tests of the flowline, too", () => {
    const begin = [
      "dag:",
      "  - { type: file_input, component: access, publish: [ { stream: lines } ] }",
      "tests:",
      "  - name: access",
      "    given:",
      "      # Two lines.",
      "      access: [ a, access ]",
      "      other: [ b ]",
      "    expect:",
      "      - { at: access, count: 2 } # all",
      "      - { at: other, count: 1 }",
      ""
    ].join("\n")
    expect(renamed(yaml, begin, yaml.read(begin).value as Record<string, unknown>, 0, "log")).toBe(
      begin
        .replace("component: access", "component: log")
        .replace("access: [", "log: [")
        .replace("at: access", "at: log")
    )
    // Another input of that name keeps its value.
    const taken = begin.replace("other: [", "log: [")
    expect(renamed(yaml, taken, yaml.read(taken).value as Record<string, unknown>, 0, "log")).toContain(
      "      access: [ a, access ]\n      log: [ b ]"
    )
  })

  it.each([
    [
      hjson,
      "tests: [ { given: { access: [ 1 ], 'b': [] }, expect: [ { at: 1 } ] } ]",
      "tests: [ { given: { log: [ 1 ], 'b': [] }, expect: [ { at: 1 } ] } ]"
    ],
    [
      hjson,
      "tests: [\n  {\n    given: {\n      // One.\n      access: [ 1 ]\n    }\n  }\n]",
      "tests: [\n  {\n    given: {\n      // One.\n      log: [ 1 ]\n    }\n  }\n]"
    ],
    [json, '{ "tests": [ { "given": { "access": [ "a" ] } } ] }', '{ "tests": [ { "given": { "log": [ "a" ] } } ] }'],
    [yaml, "tests: [ { given: { 'access': [ a ] } } ]", "tests: [ { given: { log: [ a ] } } ]"]
  ])("is that of a member, in its place: %#", (notation, before, after) => {
    expect(notation.keyed(before, ["tests", 0, "given", "access"], "log")).toBe(after)
    expect(notation.keyed(before, ["tests", 0, "given", "none"], "log")).toBeUndefined()
  })
})
