import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse, parseDocument } from "yaml"
import { schemaAt, valuesOf } from "../../packages/console/src/pages/flowlines/schema.ts"
import { edited, listItem, withNode } from "../../packages/console/src/pages/flowlines/yamlEdits.ts"
import { pathAt, spotsAt } from "../../packages/console/src/pages/flowlines/yamlPlace.ts"

const text = `# The head.
runtime: stream   # in JavaScript
dag:
  # Where it comes from.
  - type: file_input
    settings: { path: "a b.log", format: lines } # kept

  - type: grok          # parses
    component: parse
    settings:
      # In this order.
      patterns:
        - '%{IP:client}'   # first
        - "%{WORD:w}"
      definitions: |
        A b
        C d
      timeout_millis: 20
    subscribe: [ { component: file_input, stream: lines } ]
    publish: [ { stream: out } ]

  # The end.
  - { type: show, subscribe: [ { component: parse, stream: out } ] }
`

const at = (value: unknown, path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value)

const comments = (one: string) => one.match(/#[^\n]*/g) ?? []

describe("an edit of the text", () => {
  it("changes a value where it stands, and nothing else", () => {
    expect(edited(text, ["dag", 1, "settings", "timeout_millis"], 30)).toBe(text.replace("20", "30"))
    expect(edited(text, ["dag", 0, "settings", "path"], "x.log")).toBe(text.replace('"a b.log"', "x.log"))
    expect(edited(text, ["dag", 0, "settings", "path"], "a, b")).toBe(text.replace('"a b.log"', '"a, b"'))
    expect(edited(text, ["dag", 1, "component"], "true")).toBe(
      text.replace("component: parse\n", 'component: "true"\n')
    )
  })

  it("adds, replaces and removes values, with all comments of the rest", () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string | number>, unknown]> = [
      [["dag", 1, "settings", "field"], "message"],
      [
        ["dag", 1, "settings", "patterns"],
        ["x", "y: z", "#"]
      ],
      [["dag", 1, "settings", "definitions"], "X y\nZ"],
      [["dag", 1, "settings", "definitions"], undefined],
      [["dag", 1, "settings", "timeout_millis"], undefined],
      [["dag", 0, "settings", "format"], undefined],
      [["dag", 0, "settings", "multiline", "start"], "^x"],
      [["dag", 2, "settings", "limit"], 3],
      [["dag", 2, "component"], "end"],
      [["dag", 0, "publish"], [{ stream: "lines" }]]
    ]
    for (const [path, value] of cases) {
      const made = edited(text, path, value)
      expect(at(parse(made!), path)).toEqual(value)
      for (const comment of comments(text)) {
        // Only comments within the replaced value are removed with it.
        if (path.at(-1) !== "patterns" || comment !== "# first") expect(made).toContain(comment)
      }
      const node = path[1] as number
      const before = parse(text)
      const after = parse(made!)
      for (const index of [0, 1, 2]) if (index !== node) expect(after.dag[index]).toEqual(before.dag[index])
      // The text before and after the node is unchanged to the byte.
      const starts = [text.indexOf("- type: file"), text.indexOf("- type: grok"), text.indexOf("- { type")]
      expect(made!.startsWith(text.slice(0, starts[node]))).toBe(true)
      if (node < 2) expect(made!.endsWith(text.slice(text.lastIndexOf("\n", starts[node + 1]) + 1))).toBe(true)
    }
  })

  it("keeps the comments of a list and of its items that stay, and its notation", () => {
    const made = edited(text, ["dag", 1, "settings", "patterns"], ["%{IP:client}", "new"])
    expect(made).toContain("- '%{IP:client}' # first")
    expect(made).toContain("# In this order.")
    const flow = "dag:\n  - type: a\n    settings:\n      list: [ x, y ] # all\n"
    expect(edited(flow, ["dag", 0, "settings", "list"], ["z"])).toBe(flow.replace("x, y", "z"))
  })

  it("leaves aliases and faulty texts to their writer", () => {
    expect(
      edited("a: &x { b: 1 }\ndag:\n  - { type: a, settings: *x }\n", ["dag", 0, "settings", "b"], 2)
    ).toBeUndefined()
    expect(edited("a: [", ["a"], 1)).toBeUndefined()
  })

  it("adds a node at the end", () => {
    const node = { type: "filter", settings: { where: "a > 1" }, subscribe: [{ component: "parse", stream: "out" }] }
    for (const before of [
      text,
      text.trimEnd(),
      `${text}tests: []\n`,
      "runtime: stream\n",
      "dag: []\n",
      "dag:\n",
      "",
      "dag: [ { type: show } ]\n"
    ]) {
      const made = withNode(before, node)
      const { dag, ...rest } = parse(made!)
      expect(dag.at(-1)).toEqual(node)
      const was = parse(before) ?? {}
      expect(dag.slice(0, -1)).toEqual(was.dag ?? [])
      const { dag: _, ...others } = was
      expect(rest).toEqual(others)
      for (const comment of comments(before)) expect(made).toContain(comment)
    }
    expect(listItem(node, 2)).toBe(
      "  - type: filter\n    settings:\n      where: a > 1\n    subscribe: [ { component: parse, stream: out } ]\n"
    )
  })

  const Value = Schema.Union([Schema.String, Schema.Int, Schema.Boolean, Schema.Array(Schema.String)])
  it.prop(
    "gives back every value that was put in",
    { value: Value, place: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })) },
    ({ value, place }) => {
      const path = [
        ["dag", 0, "settings", "path"],
        ["dag", 0, "settings", "other"],
        ["dag", 1, "settings", "definitions"],
        ["dag", 1, "settings", "timeout_millis"],
        ["dag", 2, "settings", "x"]
      ][place]!
      const made = edited(text, path, value)
      const document = parseDocument(made!)
      expect(document.errors).toEqual([])
      expect(at(document.toJS(), path)).toEqual(value)
    },
    { arbitrary: { runs: 300 } }
  )
})

describe("the place in the text", () => {
  it("is the path of what stands there", () => {
    const document = parseDocument(text)
    const path = (part: string) => pathAt(document, text.indexOf(part) + 1)
    expect(path("20")).toEqual(["dag", 1, "settings", "timeout_millis"])
    expect(path("%{WORD")).toEqual(["dag", 1, "settings", "patterns", 1])
    expect(path("show")).toEqual(["dag", 2, "type"])
    expect(path("C d")).toEqual(["dag", 1, "settings", "definitions"])
  })

  const spots = (marked: string) => {
    const offset = marked.indexOf("|")
    const { from, spots: found } = spotsAt(marked.replace("|", ""), offset)
    return { word: marked.slice(from, offset), places: found.map(({ path, isKey }) => [path.join("/"), isKey]) }
  }

  it("is found for completion in texts that are not finished", () => {
    expect(spots("run|")).toEqual({
      word: "run",
      places: [
        ["", true],
        ["", false]
      ]
    })
    expect(spots("runtime: st|\n").places).toEqual([["runtime", false]])
    expect(spots("dag:\n  - type: gr|\n    settings: {}\n").places).toEqual([["dag/0/type", false]])
    expect(spots("dag:\n  - type: grok\n    set|\n").places[0]).toEqual(["dag/0", true])
    expect(spots("dag:\n  - type: grok\n    settings:\n      pat|\n  - type: show\n").places[0]).toEqual([
      "dag/0/settings",
      true
    ])
    expect(spots("dag:\n  - type: grok\n    settings:\n      |\n  - type: show\n").places[0]).toEqual([
      "dag/0/settings",
      true
    ])
    expect(spots("dag:\n  - type: grok\n    settings: { ecs_compatibility: | }\n").places).toEqual([
      ["dag/0/settings/ecs_compatibility", false]
    ])
    expect(spots("dag:\n  - type: grok\n    subscribe: [ { component: a, stream: | } ]\n").places).toEqual([
      ["dag/0/subscribe/0/stream", false]
    ])
    expect(spots("dag:\n  - type: grok\n    subscribe: [ | ]\n").places).toEqual([["dag/0/subscribe/0", false]])
    expect(spots("dag:\n  - |\n").places[0]).toEqual(["dag/0", true])
  })
})

describe("schemas", () => {
  const root = {
    type: "object",
    properties: {
      a: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/E" } }] },
      b: { type: "object", additionalProperties: { type: "boolean" } }
    },
    $defs: { E: { enum: ["x", "y"] } }
  }
  it("are followed along a path", () => {
    expect(schemaAt(root, ["a", 0])).toEqual({ enum: ["x", "y"] })
    expect(valuesOf(root, schemaAt(root, ["b", "any"])!)).toEqual([true, false])
    expect(schemaAt(root, ["c"])).toBeUndefined()
  })
})
