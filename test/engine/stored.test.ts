import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as BlobsAt from "../../src/drivers/blobs/BlobsAt.ts"
import { ended, engine, flowline, follow, node, places, printed, settings, spec } from "./support.ts"

const reading = (given: Record<string, unknown>) =>
  spec(flowline([node("file_input", given), node("show", {}, "file_input")]))

describe("a stored file", () => {
  it.live("is read by its reference, and only when the gateway has resolved it", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* places
      yield* Effect.promise(() => mkdir(blobs, { recursive: true }))
      const write = (bytes: Uint8Array) =>
        Effect.flatMap(Blobs, (store) =>
          store.write(
            "acme",
            (async function* () {
              yield bytes
            })()
          )
        ).pipe(Effect.provide(BlobsAt.layer({ kind: "disk", root: blobs }).pipe(Layer.orDie)))
      const blob = yield* write(gzipSync("a,b\n1,x\n"))
      const run = reading({ registry: "lookups/a" })
      const references = { "registry:lookups/a": { ...blob, name: "a.csv.gz" } }
      const on = engine(settings(root))
      const messages = yield* follow({ ...run, references }).pipe(Effect.provide(on))
      assert.deepStrictEqual(printed(messages), ['{"a":"1","b":"x"}'])
      const unresolved = ended(yield* follow(run).pipe(Effect.provide(on)))
      assert.include(unresolved.error, "There is no registry:lookups/a")
      const lost = { "registry:lookups/a": { ...blob, sha256: "0".repeat(64), name: "a.csv" } }
      const gone = ended(yield* follow({ ...run, references: lost }).pipe(Effect.provide(on)))
      assert.include(gone.error, "The bytes of registry:lookups/a cannot be read")
    })
  )
})

describe("a Parquet file", () => {
  it.live("is read without a loss", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const path = join(conf, "samples", "a.parquet")
      yield* Effect.promise(async () => {
        const instance = await DuckDBInstance.create(":memory:")
        const connection = await instance.connect()
        await connection.run(`COPY (SELECT 9007199254740993::BIGINT AS big, 12345678901234567.89::DECIMAL(19,2) AS money,
          'NaN'::DOUBLE AS nan, 0.1::DOUBLE AS tenth, TIMESTAMP '2026-01-02 03:04:05.123456' AS at,
          {'list': [1, NULL], 'text': 'é'} AS nested, NULL::INTEGER AS nothing) TO '${path}' (FORMAT parquet)`)
        connection.closeSync()
        await writeFile(join(conf, "samples", "bad.parquet"), "PAR1 is not all")
      })
      const on = engine(settings(root))
      const messages = yield* follow(reading({ path: "samples/a.parquet" })).pipe(Effect.provide(on))
      assert.strictEqual(ended(messages).error, undefined)
      assert.deepStrictEqual(JSON.parse(printed(messages)[0] ?? ""), {
        big: "9007199254740993",
        money: "12345678901234567.89",
        nan: "NaN",
        tenth: 0.1,
        at: "2026-01-02T03:04:05.123456Z",
        nested: { list: [1, null], text: "é" },
        nothing: null
      })
      const bad = ended(yield* follow(reading({ path: "samples/bad.parquet" })).pipe(Effect.provide(on)))
      assert.include(bad.error, 'The file "samples/bad.parquet" is not a valid Parquet file')
      // A compressed one is decompressed to the disk.
      yield* Effect.promise(() =>
        writeFile(join(conf, "samples", "bomb.parquet.gz"), gzipSync(Buffer.alloc(2_000_000)))
      )
      const few = engine(settings(root, { fileBytes: 1_000_000 }))
      const bomb = ended(yield* follow(reading({ path: "samples/bomb.parquet.gz" })).pipe(Effect.provide(few)))
      const limit = "exceeds the size limit of a run (1000000 bytes)"
      assert.strictEqual(bomb.error, `file_input: The data of the file "samples/bomb.parquet.gz" ${limit}`)
    })
  )
})
