import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../src/drivers/duckdb/Database.ts"
import { type Event, errors } from "../../src/nodes/Node.ts"
import { FailedRecords, feed } from "../../src/run/analytics/Bridge.ts"
import { Files } from "../../src/run/analytics/Files.ts"
import { Graph } from "../../src/run/analytics/Plan.ts"
import { Scratch } from "../../src/run/analytics/Scratch.ts"
import { places } from "../engine/support.ts"
import { Memory } from "../nodes/memory.ts"
import { analytics, node } from "./support.ts"

describe("an output that knows records only", () => {
  it.live("gets all of them in batches, then their end; what it refuses is counted and published", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      yield* Effect.promise(async () => {
        const scratch = new Scratch(join(root, "scratch"), 1e9)
        await scratch.make()
        const database = await Database.open({ memoryMib: 200, threads: 2, spillBytes: 1e9, scratch: scratch.folder })
        const graph = new Graph(analytics([node("rows", "dataset_generator", { rows: [] })]), new Memory().context)
        const signal = new AbortController().signal
        const work = { graph, database, scratch, files: new Files(scratch), signal }
        const name = database.relation()
        await database.run(
          `CREATE TABLE ${name} AS SELECT range AS i, 9223372036854775807 AS big, 'nan'::DOUBLE AS d FROM range(2500)`
        )
        const taken: Array<Event> = []
        const sizes: Array<number> = []
        let ended = 0
        const failed = new FailedRecords()
        const refuse = (event: Event) => ({ ...event, error: { node: "out", reason: "odd" } })
        const count = await feed(
          {
            process: async (batch, emit) => {
              taken.push(...batch)
              sizes.push(batch.length)
              await emit(errors, [refuse(batch[0]!)])
            },
            end: () => {
              ended++
            }
          },
          name,
          work,
          failed
        )
        assert.deepStrictEqual([count, taken.length, ended], [2500, 2500, 1])
        assert.deepStrictEqual(taken[2499], { i: 2499, big: "9223372036854775807", d: "NaN" })
        assert.isAtMost(Math.max(...sizes), 1000)
        assert.deepStrictEqual([failed.count, failed.reason], [sizes.length, "odd"])
        const relation = await failed.relation(work)
        assert.strictEqual(relation.records, sizes.length)
        assert.strictEqual(
          await database.value(`SELECT count(*) FROM ${relation.name} WHERE error.node = 'out'`),
          sizes.length
        )
        database.dispose()
      })
    })
  )
})
