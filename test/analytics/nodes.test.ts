import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { nodesOf } from "../../src/nodes/Catalogue.ts"
import { pipeline } from "../../src/run/stream/Pipeline.ts"
import { Memory } from "../nodes/memory.ts"
import { analytics, node, within } from "./support.ts"

const feeding = node("dataset_generator", "dataset_generator", { rows: [{ city: "Oslo", population: 717710, id: 1 }] })

// No index and no server here: test/search covers the search nodes, test/engine those that connect to servers.
const local = nodesOf("analytics").filter(({ type }) => !/^(search|sql|http)_/.test(type))

describe("every node of analytics", () => {
  for (const { type, kind, example, outputs } of local) {
    it.live(`runs with its example: ${type}`, () =>
      Effect.gen(function* () {
        const publish = outputs.map((stream) => (stream === "*" ? "out" : stream))
        const own = node("own", type, example, kind === "input" ? [] : ["dataset_generator"], publish)
        const seen = kind === "output" ? [] : [node("seen", "show", {}, ["own"])]
        const flowline = kind === "input" ? analytics([own, ...seen]) : analytics([feeding, own, ...seen])
        const tree = { "samples/access.log.gz": gzipSync("one\ntwo\n") }
        const { error, counters } = yield* within(flowline, tree)
        assert.strictEqual(error, undefined)
        const counter = counters.get("own")
        assert.isAbove(kind === "output" ? (counter?.recordsIn ?? 0) : (counter?.recordsOut ?? 0), 0)
      })
    )
  }

  it.live("that only analytics has says so elsewhere", () =>
    Effect.promise(async () => {
      const query = node("query", "sql", { statement: "SELECT 1" }, ["dataset_generator"])
      const job = pipeline({ ...analytics([feeding, query]), runtime: "stream" }, new Memory().context)
      assert.strictEqual(String(await job.run().catch(String)), "NodeFailure: query: sql runs in analytics only")
    })
  )
})
