import { describe, expect, it } from "vitest"
import { aggregate } from "../../src/nodes/processing/Aggregate.ts"
import { kv } from "../../src/nodes/processing/Kv.ts"
import { mutate } from "../../src/nodes/processing/Mutate.ts"
import { of } from "./one.ts"

const record = { list: ["1", "2", { b: [3, { c: "k=v" }] }], object: { "0": "zero" }, none: null, text: "x" }

/** What operations change of the record, or why they fail. */
const changed = async (...operations: ReadonlyArray<object>) => {
  const { records, errors } = await of(mutate, { operations }, [record])
  const [found = {}] = records as ReadonlyArray<Record<string, unknown>>
  const given: Record<string, unknown> = record
  if (errors.length > 0) return errors[0]
  return Object.fromEntries(Object.entries(found).filter(([name, value]) => value !== given[name]))
}

describe("an element of a list", () => {
  it("is read by its place, also from the end", async () => {
    expect(await changed({ copy: { "[list][0]": "first" } })).toEqual({ first: "1" })
    expect(await changed({ copy: { "list.-2": "last" } })).toEqual({ last: "2" })
    expect(await changed({ copy: { "[list][2][b][-1][c]": "inner" } })).toEqual({ inner: "k=v" })
    expect(await changed({ set: { text: "%{[list][0]}-%{[list][7]}" } })).toEqual({ text: "1-%{[list][7]}" })
    expect(
      await changed({ copy: { "list.3": "a", "list.-4": "b", "list.x": "c", "text.0": "d", "none.0": "e" } })
    ).toEqual({})
    expect(await changed({ copy: { "object.0": "zero" } })).toEqual({ zero: "zero" })
  })

  it("is changed and removed, and the list stays one", async () => {
    const [one, two, three] = record.list
    expect(await changed({ convert: { "[list][0]": "integer" } })).toEqual({ list: [1, two, three] })
    expect(await changed({ set: { "[list][-1]": "z" } })).toEqual({ list: [one, two, "z"] })
    expect(await changed({ set: { "list.2.b.1.d": "z" } })).toEqual({
      list: [one, two, { b: [3, { c: "k=v", d: "z" }] }]
    })
    expect(await changed({ remove: ["[list][0]", "[list][0]", "list.9", "none.0", "text.0"] })).toEqual({
      list: [three]
    })
    expect(await changed({ rename: { "[list][2][b][0]": "n" } })).toEqual({
      list: [one, two, { b: [{ c: "k=v" }] }],
      n: 3
    })
  })

  it("moves to a place in the list as it was", async () => {
    const moved = async (from: string, to: string, a: unknown = ["x", "y", "z"]) => {
      const { records, errors } = await of(mutate, { operations: [{ rename: { [from]: to } }] }, [{ a }])
      return errors[0] ?? records[0]
    }
    expect(await moved("[a][0]", "[a][0]")).toEqual({ a: ["x", "y", "z"] })
    expect(await moved("[a][0]", "[a][1]")).toEqual({ a: ["x", "z"] })
    expect(await moved("[a][0]", "[a][-1]", ["x"])).toEqual({ a: ["x"] })
    expect(await moved("[a][-1]", "[a][0]")).toEqual({ a: ["z", "y"] })
    expect(await moved("[a][0]", "[a][1][b]", ["x", { c: 1 }])).toEqual({ a: [{ c: 1, b: "x" }] })
    expect(await moved("[a][0]", "[a][0][b]")).toEqual({ a: [{ b: "x" }, "y", "z"] })
    expect(await moved("[a][0]", "a")).toEqual({ a: "x" })
    expect(await moved("[a][0]", "a", [["n"]])).toEqual({ a: ["n"] })
    expect(await moved("[a][0]", "[a][3]")).toBe(
      "operation 1 (rename): [a][3] cannot be written, because a value is in its way"
    )
    expect(await moved("a.0", "b.c", { "0": "zero", "1": "one" })).toEqual({ a: { "1": "one" }, b: { c: "zero" } })
    expect(await moved("a.0", "a", { "0": null })).toEqual({ a: null })
  })

  it("is not added", async () => {
    const inTheWay = (name: string) => `operation 1 (set): ${name} cannot be written, because a value is in its way`
    for (const name of ["[list][3]", "list.-4", "list.b", "list.0.b"]) {
      expect(await changed({ set: { [name]: "z" } })).toBe(inTheWay(name))
    }
  })

  it("is a field of other nodes too", async () => {
    const settings = { field: "list.2.b.1.c", add_field: { first: "%{[list][0]}" }, remove_field: "[list][1]" }
    const { records } = await of(kv, settings, [record])
    expect(records).toEqual([{ ...record, list: ["1", record.list[2]], k: "v", first: "1" }])
  })

  it("is kept in a list, with others in their order", async () => {
    const kept = async (...names: ReadonlyArray<string>) => {
      const { records } = await of(mutate, { operations: [{ keep: names }] }, [record])
      return records[0]
    }
    expect(await kept("[list][0]")).toEqual({ list: ["1"] })
    expect(await kept("list.-1.b.0", "text", "[list][0]", "list.00", "list.-3")).toEqual({
      list: ["1", { b: [3] }],
      text: "x"
    })
    expect(await kept("list.2.b.-1.c", "[list][-1][b][1]", "list.7", "list.x", "text.0", "none.0")).toEqual({
      list: [{ b: [{ c: "k=v" }] }]
    })
    expect(await kept("[list][1]", "list")).toEqual({ list: record.list })
    expect(await kept("object.0", "none")).toEqual({ object: { "0": "zero" }, none: null })
    expect(await kept("[list][7]")).toEqual({})
  })

  it("groups records, and is in a list in the results", async () => {
    const given = { window: "1m", group_by: ["[tags][-1]", "host", "tags.0"], metrics: { n: { type: "count" } } }
    const events = [["a", "b"], ["a", "c", "b"], ["b"], { "-1": "b", "0": "a" }, [], undefined].map((tags) => ({
      "@timestamp": 5,
      host: "h",
      ...(tags === undefined ? {} : { tags })
    }))
    const { records } = await of(aggregate, given, events)
    expect(records.map(({ window: _, ...row }) => row)).toEqual([
      { tags: ["a", "b"], host: "h", n: 3 },
      { tags: ["b"], host: "h", n: 1 },
      { host: "h", n: 2 }
    ])
    const objects = await of(aggregate, given, events.slice(3, 4))
    expect(objects.records[0]).toMatchObject({ tags: { "-1": "b", "0": "a" } })
  })
})
