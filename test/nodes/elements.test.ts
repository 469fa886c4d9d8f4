import { describe, expect, it } from "vitest"
import { encoder } from "../../src/nodes/formats/Encoder.ts"
import type { NodeType } from "../../src/nodes/Node.ts"
import { aggregate } from "../../src/nodes/processing/Aggregate.ts"
import { csv } from "../../src/nodes/processing/Csv.ts"
import { date } from "../../src/nodes/processing/Date.ts"
import { dissect } from "../../src/nodes/processing/Dissect.ts"
import { enrich } from "../../src/nodes/processing/Enrich.ts"
import { geoip } from "../../src/nodes/processing/GeoIp.ts"
import { join } from "../../src/nodes/processing/Join.ts"
import { json } from "../../src/nodes/processing/Json.ts"
import { kv } from "../../src/nodes/processing/Kv.ts"
import { mutate } from "../../src/nodes/processing/Mutate.ts"
import { userAgent } from "../../src/nodes/processing/UserAgent.ts"
import { mmdb } from "../support/mmdb.ts"
import { Memory, process } from "./memory.ts"
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

  it("receives what other nodes find, and the list stays one", async () => {
    const a = ['{"b":1}', { c: "k=v", n: 1 }, "1970-01-01T00:00:00Z"]
    const made = async (node: NodeType, settings: Record<string, unknown>) => {
      const { records, errors } = await of(node, settings, [{ a, line: "x,y", agent: "curl/8.0", id: 1 }])
      return errors[0] ?? (records[0] as { readonly a: unknown }).a
    }
    const [one, two, three] = a
    expect(await made(json, { field: "[a][0]", target: "[a][0]" })).toEqual([{ b: 1 }, two, three])
    expect(await made(kv, { field: "a.1.c", target: "a.1" })).toEqual([one, { c: "k=v", n: 1, k: "v" }, three])
    expect(await made(date, { field: "a.-1", target: "a.-1", formats: ["ISO8601"] })).toEqual([
      one,
      two,
      "1970-01-01T00:00:00.000Z"
    ])
    expect(await made(csv, { field: "line", columns: ["p", "q"], target: "a.1.cells" })).toEqual([
      one,
      { c: "k=v", n: 1, cells: { p: "x", q: "y" } },
      three
    ])
    expect(await made(dissect, { field: "line", pattern: "%{p},%{q}", target: "a.2" })).toEqual([
      one,
      two,
      { p: "x", q: "y" }
    ])
    expect(await made(userAgent, { field: "agent", target: "a.1" })).toEqual([
      one,
      expect.objectContaining({ c: "k=v", n: 1 }),
      three
    ])
    const inTheWay = (name: string) => `the field ${name} cannot be written, because a value is in its way`
    for (const target of ["a.3", "a.-4", "a.0.b"]) {
      expect(await made(json, { field: "[a][0]", target })).toBe(inTheWay(target))
      expect(await made(kv, { field: "a.1.c", target })).toBe(inTheWay(target))
      expect(await made(date, { field: "a.2", target, formats: ["ISO8601"] })).toBe(inTheWay(target))
      expect(await made(csv, { field: "line", target })).toBe(inTheWay(target))
      expect(await made(userAgent, { field: "agent", target })).toBe(inTheWay(target))
    }
  })

  it("receives the other record of a pair", async () => {
    const side = (name: string) => ({ where: `side == "${name}"`, key: ["id"] })
    const given = { left: side("l"), right: side("r"), window: "1m", target: "a.-1" }
    const right = { "@timestamp": 5, side: "r", id: 1 }
    const left = { ...right, side: "l" }
    const pair = await of(join, given, [right, { ...left, a: [0, { b: 1 }] }])
    expect(pair).toEqual({ records: [{ ...left, a: [0, { b: 1, ...right }] }], errors: [] })
    const none = await of(join, given, [{ ...left, a: [] }, right])
    expect(none).toEqual({
      records: [],
      errors: ["the field a.-1 cannot be written, because a value is in its way"]
    })
  })

  it("is a column of a csv file", () => {
    const columns = ["list.0", "[list][-1][b][0]", "list.3", "[object][0]", "a.b"]
    const rows = encoder("csv", columns).encode([{ ...record, a: {}, "a.b": 1 }, { a: { b: 2 } }])
    expect(rows).toBe("list.0,[list][-1][b][0],list.3,[object][0],a.b\r\n1,3,,zero,1\r\n,,,,2\r\n")
  })

  it("receives what is looked up", async () => {
    const events = [
      { ip: "2.2.3.4", hops: [{ n: 1 }, { n: 2 }] },
      { ip: "2.2.3.4", hops: [] }
    ]
    const files = new Memory({
      "g.mmdb": [mmdb([["2.0.0.0/8", { autonomous_system_number: 64500 }]])],
      "t.csv": [Buffer.from("ip,asn\n2.2.3.4,64500\n")]
    })
    const looked = async (node: NodeType, settings: object) => {
      const streams = await process(node, { field: "ip", target: "[hops][-1]", ...settings }, [events], files)
      return { found: streams.get("*")?.map(({ hops }) => hops), errors: streams.get("errors")?.length }
    }
    const [one, two] = [{ n: 1 }, { n: 2 }]
    expect(await looked(geoip, { path: "g.mmdb" })).toEqual({ found: [[one, { ...two, asn: 64500 }]], errors: 1 })
    expect(await looked(enrich, { path: "t.csv", key: "ip" })).toEqual({
      found: [[one, { ...two, asn: "64500" }]],
      errors: 1
    })
  })
})
