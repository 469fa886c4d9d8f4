import { describe, expect, it } from "@effect/vitest"
import { hjson, json } from "../../packages/console/src/pages/flowlines/hjson.ts"
import type { Edited } from "../../packages/console/src/pages/flowlines/Notation.ts"
import { addedNode, renamed } from "../../packages/console/src/pages/flowlines/textEdits.ts"

const text = `# The head.
runtime: stream
name: lines, in quotes or not # no comment
dag: [
  // Where it comes from.
  { type: "file_input", settings: { path: "a b.log" }, publish: [ { stream: "lines" } ] }
  {
    type: grok
    component: parse
    settings: {
      /* In this order. */
      patterns: [
        '%{IP:client}' # first
        "%{WORD:w}"
      ]
      definitions:
        '''
        A b
          C d
        '''
      timeout_millis: 20 // at most
    }
    subscribe: [ { component: "file_input", stream: "lines" } ]
    publish: [ { stream: "out" } ]
  } # the parser

  {
    type: show
    subscribe: [
      {
        component: parse
        stream: out
      }
    ]
  }
]
# The end.
`
const dag = () => hjson.read(text).value as { readonly dag: ReadonlyArray<Record<string, unknown>> }
const settings = ["dag", 1, "settings"] as const
const edited = (path: ReadonlyArray<string | number>, value: unknown): Edited => hjson.edited(text, path, value)

describe("an edit of a flowline in HJSON", () => {
  it("changes a value in its own notation, and nothing else", () => {
    expect(edited(["runtime"], "analytics")).toBe(text.replace("runtime: stream", "runtime: analytics"))
    expect(edited(["runtime"], "12")).toBe(text.replace("runtime: stream", 'runtime: "12"'))
    expect(edited(["dag", 0, "settings", "path"], "x # y")).toBe(text.replace("a b.log", "x # y"))
    expect(edited([...settings, "patterns", 0], "it's")).toBe(text.replace("'%{IP:client}'", "'it\\'s'"))
    expect(edited([...settings, "timeout_millis"], 30)).toBe(text.replace("20", "30"))
    expect(edited([...settings, "definitions"], "X\n  y")).toBe(text.replace("A b\n          C d", "X\n          y"))
    expect(edited(["name"], "a\nb")).toBe(
      text.replace("name: lines, in quotes or not # no comment", "name:\n  '''\n  a\n  b\n  '''")
    )
  })

  it("adds and removes members and items, and keeps the comments at theirs", () => {
    expect(edited([...settings, "patterns"], ["%{IP:client}", "new", "%{WORD:w}", "last"])).toBe(
      text.replace("# first\n", '# first\n        "new"\n').replace('"%{WORD:w}"\n', '"%{WORD:w}"\n        "last"\n')
    )
    expect(edited([...settings, "patterns"], ["%{WORD:w}"])).toBe(text.replace("'%{IP:client}' # first", "# first"))
    expect(edited([...settings, "timeout_millis"], undefined)).toBe(text.replace("timeout_millis: 20 ", ""))
    expect(edited([...settings, "field"], "message")).toBe(
      text.replace("// at most\n", '// at most\n      field: "message"\n')
    )
    expect(edited(["dag", 0, "settings", "format"], "lines")).toBe(
      text.replace('"a b.log" }', '"a b.log", format: "lines" }')
    )
    expect(edited(["dag", 0, "settings", "multiline", "start"], "^x")).toBe(
      text.replace('"a b.log" }', '"a b.log", multiline: { start: "^x" } }')
    )
    // The braces of settings go with the last one.
    expect(edited(["dag", 0, "settings", "path"], undefined)).toBe(text.replace('settings: { path: "a b.log" }, ', ""))
    expect(edited(["tests"], [])).toBe(text.replace("]\n# The end.", "]\ntests: []\n# The end."))
    expect(edited(["dag", 7, "settings"], undefined)).toBe(text)
  })

  it("goes by the commas of the rest, and puts none behind a text without quotes", () => {
    const cases = [
      ["{\n  a: 1, # one\n  b: text\n}", '{\n  a: 1, # one\n  b: text\n  c: "x"\n}'],
      ["{\n  a: 1, # one\n  b: 2 # two\n}", '{\n  a: 1, # one\n  b: 2, # two\n  c: "x"\n}'],
      ["{\n  a: 1,\n  b: 2, # two\n}", '{\n  a: 1,\n  b: 2, # two\n  c: "x",\n}'],
      ["a: 1\nb: 2 /* two */ // 2\n\n# end", 'a: 1\nb: 2 /* two */ // 2\nc: "x"\n\n# end'],
      ["{ a: 1 # one\n}", '{ a: 1, c: "x" # one\n}'],
      ["{\r\n  a: 1 # one\r\n}\r\n", '{\r\n  a: 1 # one\r\n  c: "x"\r\n}\r\n']
    ] as const
    for (const [before, after] of cases) {
      expect(hjson.edited(before, ["c"], "x")).toBe(after)
      expect(hjson.edited(after, ["c"], undefined)).toBe(before)
    }
  })

  it("is none where it would say something else, or the text has a fault", () => {
    expect(edited([...settings, "limit"], Number.NaN)).toBeUndefined()
    expect(edited([...settings, "limit"], 2 ** 60)).toBeUndefined()
    expect(edited(["dag", 9], {})).toBeUndefined()
    expect(hjson.edited("{ a: [ }", ["a"], 1)).toBeUndefined()
    expect(json.edited('{ "a": 1, }', ["a"], 2)).toBeUndefined()
    expect(hjson.edited("a: 1", ["a"], undefined)).toBeUndefined()
  })

  it("takes a moment in a large text, also on one line", () => {
    const rows = Array.from({ length: 15_000 }, (_, at) => ({ at, text: `text ${at}`, list: [{ a: at }] }))
    for (const [notation, large] of [
      [json, JSON.stringify({ dag: [{ type: "dataset_generator", settings: { rows } }] })],
      [json, JSON.stringify({ dag: [{ type: "dataset_generator", settings: { rows } }] }, null, 2)],
      [hjson, `/* one */ { dag: [ ${JSON.stringify({ type: "dataset_generator", settings: { rows } })} ] }`]
    ] as const) {
      const began = process.cpuUsage()
      const made = notation.edited(large, ["dag", 0, "settings", "rows", 7000, "list"], [{ a: 1 }, { b: 2 }])
      expect(made?.length).toBeGreaterThan(large.length)
      const last = made!.length - 10
      notation.read(made!).pathAt!(last)
      notation.spotsAt(made!.slice(0, 400_000), 300_000)
      // Some hundred milliseconds of processor time; quadratic work would take minutes.
      expect(process.cpuUsage(began).user).toBeLessThan(10_000_000)
    }
  })

  it("gives a node another name where it stands, and where others receive from it", () => {
    const made = renamed(hjson, text, dag(), 1, "read it")
    expect(made).toBe(
      text
        .replace("component: parse\n    settings", "component: read it\n    settings")
        .replace("        component: parse", "        component: read it")
    )
    expect(renamed(hjson, made!, hjson.read(made!).value as ReturnType<typeof dag>, 1, "")).toBe(
      text
        .replace("    component: parse\n    settings", "    settings")
        .replace("        component: parse", "        component: grok")
    )
  })

  it("adds a node at the end, wired to the one at the cursor", () => {
    const filter = { type: "filter", kind: "processing", example: { where: "a > 1" }, outputs: ["*"] }
    expect(addedNode(hjson, text, dag().dag, 1, filter)).toBe(
      text.replace(
        "  }\n]\n#",
        `  }
  {
    type: "filter"
    settings: {
      where: "a > 1"
    }
    subscribe: [ { component: "parse", stream: "out" } ]
    publish: [ { stream: "out" } ]
  }
]
#`
      )
    )
    const node = { type: "x", settings: { a: [1] } }
    for (const [before, after] of [
      ["", '{\n  dag: [\n    {\n      type: "x"\n      settings: {\n        a: [ 1 ]\n      }\n    }\n  ]\n}\n'],
      ["dag: [\n  # none\n]", 'dag: [\n  # none\n  {\n    type: "x"\n    settings: {\n      a: [ 1 ]\n    }\n  }\n]'],
      [
        "{\n  dag: [\n    { type: show }\n  }\n}".replace("show }", "show\n    }").replace("  }\n}", "  ]\n}"),
        '{\n  dag: [\n    { type: show\n    }\n    {\n      type: "x"\n      settings: {\n        a: [\n          1\n        ]\n      }\n    }\n  ]\n}'
      ],
      [
        '{\n  dag: [\n    { type: "show" },\n    { type: "show" }\n  ]\n}',
        '{\n  dag: [\n    { type: "show" },\n    { type: "show" },\n    { type: "x", settings: { a: [ 1 ] } }\n  ]\n}'
      ]
    ] as const)
      expect(hjson.withNode(before, node)).toBe(after)
    expect(hjson.withNode("dag: text", node)).toBeUndefined()
    expect(json.withNode('{"dag":[{"type":"show"}]}', node)).toBe(
      '{"dag":[{"type":"show"},{"type":"x","settings":{"a":[1]}}]}'
    )
  })
})

describe("a flowline in HJSON", () => {
  it("has its nodes at their places", () => {
    const { format, graph, places } = hjson.read(text)
    expect(format).toBe("hjson")
    expect(graph.nodes.map(({ id }) => id)).toEqual(["file_input", "parse", "show"])
    expect(graph.edges).toHaveLength(2)
    expect(places.map(({ from, to }) => text.slice(from, to).replace(/\s+/g, " ").slice(0, 14))).toEqual([
      '{ type: "file_',
      "{ type: grok c",
      "{ type: show s"
    ])
    for (const { to } of places) expect(text.charAt(to - 1)).toBe("}")
  })

  it("knows the path of what stands at a place", () => {
    const { pathAt } = hjson.read(text)
    const path = (part: string) => pathAt!(text.indexOf(part) + 1)
    expect(path("20 //")).toEqual([...settings, "timeout_millis"])
    expect(path("timeout")).toEqual([...settings, "timeout_millis"])
    expect(path("%{WORD")).toEqual([...settings, "patterns", 1])
    expect(path("C d")).toEqual([...settings, "definitions"])
    expect(path("out\n      }")).toEqual(["dag", 2, "subscribe", 0, "stream"])
    expect(path("# The end")).toEqual([])
  })

  it("tells its fault with its place, and takes anything", () => {
    expect(hjson.read("{\n  a: [\n  }").faults).toEqual([
      { line: 3, column: 3, detail: expect.stringContaining('"}"') }
    ])
    expect(json.read('{\n  "a": 1,\n}').faults).toMatchObject([{ line: 2, column: 9 }])
    for (const one of ["", "x", "[]", "dag: 7", "dag: [1, null, {}]", "{ dag: { a: 1 } }"])
      expect(() => hjson.read(one)).not.toThrow()
  })
})

describe("completion in HJSON and JSON", () => {
  const at = (marked: string, notation = hjson) => {
    const offset = marked.indexOf("|")
    const { from, spots, key, value } = notation.spotsAt(marked.replace("|", ""), offset)
    return {
      word: marked.slice(from, offset),
      places: spots.map(({ path, isKey }) => [path.join("/"), isKey]),
      key: key("name"),
      values: [value("v 1"), value(true), value({ component: "a", stream: "b" })]
    }
  }

  it("knows keys and values in texts that are not finished", () => {
    expect(at("run|\ndag: []").places).toEqual([["", true]])
    expect(at("runtime: st|\ndag: []").places).toEqual([["runtime", false]])
    expect(at("runtime: |\ndag: []").places).toEqual([["runtime", false]])
    expect(at("dag: [\n  {\n    type: grok\n    settings: {\n      pat|\n    }\n  }\n]")).toMatchObject({
      word: "pat",
      places: [["dag/0/settings", true]]
    })
    expect(at("dag: [\n  {\n    type: gr|\n  }\n]").places).toEqual([["dag/0/type", false]])
    expect(at("dag: [\n  { type: |, publish: [] }\n]").places).toEqual([["dag/0/type", false]])
    expect(at('dag: [ { type: "a", subscribe: [ | ] } ]').places).toEqual([["dag/0/subscribe/0", false]])
    expect(at('dag: [ { type: "a", subscribe: [ { component: "x", | } ] } ]').places).toEqual([
      ["dag/0/subscribe/0", true]
    ])
    expect(at('{ "dag": [ { "type": "a", "sub|": [] } ] }', json).places).toEqual([["dag/0", true]])
    expect(at('{\n  "dag": [ { "type": "gr|" } ]\n}', json)).toMatchObject({
      word: "gr",
      places: [["dag/0/type", false]]
    })
    expect(at('{\n  "dag": [\n    { "type": "a" "|" }\n  ]\n}', json).places).toEqual([["dag/0", true]])
  })

  it("is nowhere in comments and in texts with blanks", () => {
    for (const text of ["# run|", "a: 1 // b|", 'a: "b c|"', "a: 1 # |"]) expect(at(text).places).toEqual([])
  })

  it("writes what it offers as the text is written", () => {
    const wire = '{ component: "a", stream: "b" }'
    expect(at("a: 1\nb: |")).toMatchObject({ key: "name: ", values: ["v 1", "true", wire] })
    expect(at("{ a: | }")).toMatchObject({ key: "name: ", values: ['"v 1"', "true", wire] })
    expect(at('"a": 1\n|')).toMatchObject({ key: '"name": ' })
    expect(at('{"a":1,|}', json)).toMatchObject({
      key: '"name":',
      values: ['"v 1"', "true", '{"component":"a","stream":"b"}']
    })
    expect(at('{ "a": 1, "|" }', json)).toMatchObject({ key: "name", values: ["v 1", "true", expect.any(String)] })
    expect(at('{\n  "a": "|\n}', json)).toMatchObject({ key: 'name": ', values: ['v 1"', 'true"', expect.any(String)] })
  })
})
