import { describe, expect, it } from "vitest"
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
})
