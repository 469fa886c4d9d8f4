import { appendFile, rename, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DagNode } from "../../src/protocol/Flowline.ts"
import { mmdb } from "../support/mmdb.ts"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { failed } from "./shop.ts"
import { flowline, node, places, printed, settings, spec } from "./support.ts"

const act = (work: () => Promise<unknown>) => Effect.promise(work)

/** A run that follows a log, looks up each line, and prints the result. */
const following = (root: string, type: string, given: DagNode["settings"]) =>
  Effect.gen(function* () {
    const table = node(type, { field: "message", reload: "20ms", target: "found", ...given }, "file_input")
    const dag = flowline([
      node("file_input", { path: "a.log", follow: true }),
      table,
      node("show", { format: "json" }, type)
    ])
    const run = yield* running(settings(root), spec(dag))
    const lines = () => printed(run.messages)
    const records = () => lines().flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []))
    return {
      ...run,
      records,
      /** The other output of the run. */
      said: () => lines().filter((line) => !line.startsWith("{"))
    }
  })

describe("a lookup file", () => {
  it.live("is read again when it has changed as a whole, and what is half written is not used", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const [log, table] = [join(conf, "a.log"), join(conf, "t.csv")]
      yield* act(() => writeFile(table, "k,v\na,1\n"))
      yield* act(() => writeFile(log, ""))
      const run = yield* following(root, "enrich", { path: "t.csv", key: "k" })
      /** Writes lines until they find the expected result. */
      const until = (holds: () => boolean) =>
        act(() =>
          eventually("the table", async () => {
            await appendFile(log, "a\n")
            return failed(run) || holds()
          })
        )
      const last = () => run.records().at(-1)?.found?.v
      yield* until(() => last() === "1")
      yield* act(() => writeFile(`${table}.new`, "k,v\na,2\nb,3\n").then(() => rename(`${table}.new`, table)))
      yield* until(() => last() === "2")
      yield* act(() => eventually("the message", () => run.said().length === 1))
      assert.deepStrictEqual(run.said(), ["t.csv has changed and was read again: 2 entries"])
      // In the middle of a row.
      yield* act(() => writeFile(table, "k,v\na,4\nb"))
      yield* until(() => run.said().length === 2)
      assert.match(
        run.said()[1] ?? "",
        /^t.csv has changed but cannot be used, so what was read before is kept: the table/
      )
      const before = run.records().length
      yield* until(() => run.records().length > before + 5)
      assert.strictEqual(last(), "2")
      assert.lengthOf(run.said(), 2)
      // As a program leaves it that finds the disk full.
      yield* act(() => truncate(table))
      yield* until(() => run.said().length === 3)
      assert.match(run.said()[2] ?? "", /is kept: the table is empty: it has not even a header$/)
      yield* act(() => writeFile(table, "k,v\na,4\nb,5\n"))
      yield* until(() => last() === "4")
      assert.isTrue(run.records().every(({ found }) => ["1", "2", "4"].includes(found?.v)))
      yield* run.stop
    })
  )

  it.live("may be a database of addresses, and a file that is being written for long waits for its end", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const [log, table] = [join(conf, "a.log"), join(conf, "g.mmdb")]
      const of = (code: string) => mmdb([["2.0.0.0/8", { country: { iso_code: code } }]])
      yield* act(() => writeFile(table, of("FR")))
      yield* act(() => writeFile(log, ""))
      const run = yield* following(root, "geoip", { path: "g.mmdb" })
      const line = () => appendFile(log, "2.3.4.5\n")
      const last = () => run.records().at(-1)?.found?.country_iso_code
      /** Writes lines until the condition holds. */
      const until = (what: string, holds: () => boolean) =>
        act(() =>
          eventually(what, async () => {
            await line()
            return failed(run) || holds()
          })
        )
      yield* until("the place", () => last() === "FR")
      const bytes = of("DE")
      yield* act(() => writeFile(table, bytes.subarray(0, bytes.length >> 1)))
      yield* until("the refusal", () => run.said().length === 1)
      yield* act(() => writeFile(table, bytes))
      yield* until("the change", () => last() === "DE")
      assert.isTrue(run.records().every(({ found }) => ["FR", "DE"].includes(found?.country_iso_code)))
      yield* run.stop
    })
  )
})
