import { BlockList, isIP } from "node:net"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { addressOf } from "../../src/nodes/processing/addresses/Address.ts"
import { Networks } from "../../src/nodes/processing/addresses/Networks.ts"
import { enrich } from "../../src/nodes/processing/Enrich.ts"
import { seed } from "../support/random.ts"
import { Memory, process } from "./memory.ts"

const enriched = async (table: string, values: ReadonlyArray<unknown>) => {
  const settings = { field: "ip", path: "n.csv", key: "net", match: "network", on_missing: "errors" }
  const events = values.map((ip) => ({ ip }))
  return process(enrich, settings, [events], new Memory({ "n.csv": table }))
}

describe("networks", () => {
  it("enrich with the row of the smallest network of an address", async () => {
    const table =
      "net,name\n10.0.0.0/8,ten\n10.1.0.0/16,one\n10.1.2.3,host\n0.0.0.0/0,v4\n2001:db8::/32,doc\n10.0.0.0/8,late\n"
    const given = ["10.9.9.9", "10.1.9.9", "10.1.2.3", "8.8.8.8", "2001:db8::5", "::ffff:10.9.9.9", "2002::", "x", 5]
    const streams = await enriched(table, given)
    expect(streams.get("*")?.map(({ name }) => name)).toEqual(["ten", "one", "host", "v4", "doc", "ten"])
    expect(streams.get("errors")?.map(({ ip }) => ip)).toEqual(["2002::", "x", 5])
  })

  it("fail the run with a table that has something else, and name the row", async () => {
    for (const bad of ["10.0.0.0/33", "10.0.0/8", "10.0.0.0/8/9", "10.0.0.0/", "::/129", "host", "10.0.0.01"]) {
      await expect(enriched(`net,name\n::/0,a\n${bad},b\n`, [])).rejects.toThrow(
        `row 2 of the table has no network in net: ${bad}`
      )
    }
  })

  const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
  const Four = Schema.Tuple([Byte, Byte, Byte, Byte])
  const Length = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 32 }))
  it.effect.prop(
    "hold the addresses that Node's lists hold, of both kinds",
    { network: Four, length: Length, address: Four, same: Length },
    ({ network, length, address, same }) =>
      Effect.sync(() => {
        const bits = (bytes: ReadonlyArray<number>) => bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("")
        // Share some of the first bits, so that half of the addresses are in the network.
        const mixed = bits(network).slice(0, same) + bits(address).slice(same)
        const bytes = (mixed.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
        const six = (four: ReadonlyArray<number>) => `2001:db8::${four.map((byte) => byte.toString(16)).join(":")}`
        for (const [kind, net, prefix, one] of [
          ["ipv4", network.join("."), length, bytes.join(".")],
          ["ipv6", six(network), length + 96, six(bytes)]
        ] as const) {
          const list = new BlockList()
          list.addSubnet(net, prefix, kind)
          const networks = new Networks<boolean>()
          expect(networks.add(`${net}/${prefix}`, true)).toBe(true)
          expect(networks.find(one) ?? false).toBe(list.check(one, kind))
        }
      }),
    { arbitrary: { seed, runs: 500 } }
  )

  it.effect.prop(
    "know addresses as Node does",
    { parts: Schema.Array(Schema.Literals(["0", "1", "ff", "abcd", "12345", ":", "::", "1.2.3.4", ".", "g", "256"])) },
    ({ parts }) =>
      Effect.sync(() => {
        for (const text of [parts.join(""), parts.join(":"), parts.slice(0, 4).join(".")]) {
          expect([text, addressOf(text) !== undefined]).toEqual([text, isIP(text) !== 0])
        }
      }),
    { arbitrary: { seed, runs: 1000 } }
  )
})
