import { describe, expect, it } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { mutate } from "../../src/nodes/processing/Mutate.ts"
import { issues, of } from "./one.ts"

type Operation = Record<string, unknown>

/** What operations make of one event, or why it fails. */
const made = async (event: Event, ...operations: ReadonlyArray<Operation>) => {
  const { records, errors } = await of(mutate, { operations }, [event])
  return errors[0] ?? records[0]
}

describe("mutate", () => {
  it("renames, copies and moves fields in order, and skips those that are missing", async () => {
    const event = { a: 1, b: { c: 2, d: null } }
    expect(await made(event, { rename: { a: "x", "b.c": "[y][z]", none: "w" } })).toEqual({
      x: 1,
      b: { d: null },
      y: { z: 2 }
    })
    expect(await made(event, { rename: { a: "a.b" } })).toEqual({ a: { b: 1 }, b: event.b })
    expect(await made(event, { rename: { "b.c": "b" } })).toEqual({ a: 1, b: 2 })
    expect(await made(event, { rename: { a: "b", b: "a" } })).toEqual({ a: 1 })
    expect(await made(event, { rename: { a: "a" } })).toEqual(event)
    expect(await made(event, { copy: { b: "e", "b.d": "f" } }, { set: { "e.c": 3 } })).toEqual({
      ...event,
      e: { c: 3, d: null },
      f: null
    })
    expect(await made(event, { move: { fields: ["a", "b.c", "none"], to: "g.h" } })).toEqual({
      b: { d: null },
      g: { h: { a: 1, c: 2 } }
    })
    expect(await made(event, { rename: { "b.c": "a.c" } })).toBe(
      "operation 1 (rename): a.c cannot be written, because a value is in its way"
    )
  })

  it("removes fields, or keeps only some", async () => {
    const event = { a: 1, b: { c: 2, d: 3 }, e: [] }
    expect(await made(event, { remove: ["a", "b.c", "e.x", "none.at.all"] })).toEqual({ b: { d: 3 }, e: [] })
    expect(await made(event, { keep: ["b.d", "none", "e"] })).toEqual({ b: { d: 3 }, e: [] })
    expect(await made(event, { keep: ["b.d", "b"] })).toEqual({ b: { c: 2, d: 3 } })
    expect(await made(event, { remove: ["a"] }, { set: { a: 5 } })).toEqual({ ...event, a: 5 })
    expect(Object.keys((await made(event, { remove: ["a"] })) as Event)).toEqual(["b", "e"])
  })

  it("sets values and defaults, with values of other fields", async () => {
    const event = { user: "ada", n: null, o: { list: [1, 2] } }
    const set = { greeting: "hi %{user}, %{o.list} %{none}", "o.flag": true, list: [1, "%{user}"] }
    expect(await made(event, { set })).toEqual({
      ...event,
      greeting: "hi ada, 1,2 %{none}",
      list: [1, "%{user}"],
      o: { list: [1, 2], flag: true }
    })
    expect(await made(event, { default: { user: "x", n: 0, "o.p": "%{user}" } })).toEqual({
      user: "ada",
      n: 0,
      o: { list: [1, 2], p: "ada" }
    })
  })

  it("converts values, and keeps all digits of large numbers", async () => {
    const convert = async (value: unknown, type: string) => {
      const found = await made({ v: value }, { convert: { v: type } })
      return typeof found === "string" ? found : found?.["v"]
    }
    const cases: ReadonlyArray<readonly [unknown, string, unknown]> = [
      ["12", "integer", 12],
      [" -7.9 ", "integer", -7],
      [3.99, "integer", 3],
      [-0, "integer", 0],
      [true, "integer", 1],
      ["18446744073709551615", "integer", "18446744073709551615"],
      [1e21, "integer", "1000000000000000000000"],
      ["1e3", "float", 1000],
      ["0.1", "float", 0.1],
      ["12345678901234567.89", "float", "12345678901234567.89"],
      [["1", "2"], "integer", [1, 2]],
      [null, "integer", null],
      ["TRUE", "boolean", true],
      ["no", "boolean", false],
      [["Y", "t", "n", " F "], "boolean", [true, true, false, false]],
      [1, "boolean", true],
      [0, "boolean", false],
      [5, "string", "5"],
      [false, "string", "false"],
      [{ a: 1 }, "string", '{"a":1}'],
      [1e21, "string", "1e+21"]
    ]
    for (const [value, type, expected] of cases) {
      expect([value, type, await convert(value, type)]).toEqual([value, type, expected])
    }
    const refused: ReadonlyArray<readonly [unknown, string]> = [
      ["", "integer"],
      ["12a", "integer"],
      ["0x10", "float"],
      ["NaN", "float"],
      [Number.NaN, "float"],
      [Number.NaN, "integer"],
      [Number.POSITIVE_INFINITY, "integer"],
      ["1e999", "integer"],
      ["maybe", "boolean"],
      [2, "boolean"],
      [{}, "integer"],
      [["1", "x"], "integer"]
    ]
    for (const [value, type] of refused) {
      expect(await convert(value, type)).toMatch(`operation 1 (convert): the field v is not of type ${type}`)
    }
  })

  it("splits and joins, changes case, trims and replaces, also inside of lists", async () => {
    const event = { tags: "a, b,,c", list: [" X y ", 5, null], n: 42, o: {} }
    expect(await made(event, { split: { tags: ",", n: "x" } })).toMatchObject({ tags: ["a", " b", "", "c"], n: ["42"] })
    expect(await made(event, { split: { tags: "," } }, { trim: ["tags"] }, { join: { tags: "|" } })).toMatchObject({
      tags: "a|b||c"
    })
    expect(await made(event, { join: { list: "-" } })).toMatchObject({ list: " X y -5-" })
    expect(await made(event, { uppercase: ["tags", "n", "none"] }, { lowercase: ["list"] })).toMatchObject({
      tags: "A, B,,C",
      n: 42,
      list: [" x y ", 5, null]
    })
    expect(await made({ a: "éLAN Vital", b: "😀X" }, { capitalize: ["a", "b"] })).toEqual({ a: "Élan vital", b: "😀x" })
    const replace = { fields: ["list", "n"], pattern: "(?<all>[xy4])", with: "<$1|$<all>|$&|$$>" }
    expect(await made(event, { replace })).toMatchObject({ list: [" X <y|y|y|$> ", "5", null], n: "<4|4|4|$>2" })
    expect(await made(event, { trim: ["o"] })).toBe("operation 1 (trim): the field o is not a text")
    expect(await made(event, { split: { list: "," } })).toBe("operation 1 (split): the field list is not a text")
    expect(await made(event, { join: { tags: "," } })).toBe("operation 1 (join): the field tags is not a list")
    expect(await made({ l: [{}] }, { join: { l: "," } })).toBe(
      "operation 1 (join): the field l has a list or an object in it"
    )
  })

  it("merges lists and objects", async () => {
    const event = { a: [1], b: 2, o: { x: 1, y: { z: 1 } }, p: { y: { w: 2 }, x: null } }
    expect(await made(event, { merge: { into: "a", from: ["b", "none", "a"] } })).toMatchObject({ a: [1, 2, 1] })
    expect(await made(event, { merge: { into: "c", from: ["b", "a"] } })).toMatchObject({ c: [2, 1] })
    expect(await made(event, { merge: { into: "o", from: ["p"] } })).toMatchObject({
      o: { x: null, y: { z: 1, w: 2 } },
      p: event.p
    })
    expect(await made(event, { merge: { into: "o", from: ["b"] } })).toBe(
      "operation 1 (merge): the field b cannot be merged into o: only one of them is an object"
    )
    expect(await made(event, { merge: { into: "q", from: ["none"] } })).toEqual(event)
  })

  it("flattens objects and expands names", async () => {
    const event = { a: { b: 1, c: { d: [2], e: {} } }, f: 3 }
    expect(await made(event, { flatten: { field: "a" } })).toEqual({ a: { b: 1, c_d: [2], c_e: {} }, f: 3 })
    expect(await made(event, { flatten: { separator: "." } })).toEqual({ "a.b": 1, "a.c.d": [2], "a.c.e": {}, f: 3 })
    expect(await made({ "a.b": 1, "a.c.d": 2, a: { x: 0 }, ".b": 3 }, { expand: { separator: "." } })).toEqual({
      a: { b: 1, c: { d: 2 }, x: 0 },
      ".b": 3
    })
    expect(await made({ a: { b: 1 }, a_b: 2 }, { flatten: {} })).toBe(
      "operation 1 (flatten): there are two fields a_b then: choose another separator"
    )
    expect(await made({ a: 1, a_b: 2 }, { expand: {} })).toBe(
      "operation 1 (expand): a_b cannot be expanded, because a value is in its way"
    )
    expect(await made({ o: 1 }, { flatten: { field: "o" } })).toBe(
      "operation 1 (flatten): the field o is not an object"
    )
  })

  it("does an operation only where its condition holds, on what the earlier ones made", async () => {
    const operations = [
      { convert: { status: "integer" } },
      { set: { level: "error" }, where: "status >= 500" },
      { default: { level: "info" } }
    ]
    const { records } = await of(mutate, { operations }, [{ status: "503" }, { status: "200" }])
    expect(records.map(({ level }) => level)).toEqual(["error", "info"])
  })

  it("fails a record as it was, and goes on with the others", async () => {
    const operations = [{ set: { a: 1 } }, { remove: ["b"] }, { convert: { n: "integer" } }]
    const { records, errors } = await of(mutate, { operations }, [{ n: "x", b: 1 }, { n: "1" }])
    expect([records, errors]).toEqual([
      [{ a: 1, n: 1 }],
      ["operation 3 (convert): the field n is not of type integer: x"]
    ])
  })

  it("refuses operations that cannot work, and names the part", () => {
    const operations = [
      {},
      { rename: { a: "b" }, copy: { a: "c" } },
      { replace: { fields: ["a"], pattern: "(", with: "" } },
      { replace: { fields: ["a"], pattern: "(a)", with: "$2" } },
      { replace: { fields: ["a"], pattern: "(a)", with: "$<b>" } },
      { replace: { fields: ["a"], pattern: "(a)", with: "$`" } },
      { set: { a: 1 }, where: "a ==" }
    ]
    expect(issues(mutate, { operations })).toEqual([
      "operations/0",
      "operations/1",
      "operations/2/replace/pattern",
      "operations/3/replace/with",
      "operations/4/replace/with",
      "operations/5/replace/with",
      "operations/6/where"
    ])
    const refused = [
      { renam: { a: "b" } },
      { rename: { a: "__proto__" } },
      { set: { "a.constructor": 1 } },
      { convert: { a: "decimal" } },
      { split: { a: "" } },
      { remove: [] }
    ]
    for (const operation of refused) {
      const [path] = issues(mutate, { operations: [operation] })
      expect(path).toMatch(`operations/0/${Object.keys(operation)[0]}`)
    }
    expect(issues(mutate, { operations: [] })).toEqual(["operations/0"])
    expect(issues(mutate, {})).toEqual(["operations"])
  })
})
