import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { zip } from "../../src/run/archive/Zip.ts"
import { unzip } from "../engine/unzip.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "flow-zip-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

const start = (scratch: string, level = 1) => zip({ level, scratch: () => mkdtemp(join(scratch, "scratch-")) })

const buffer = (bytes: Readable): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    bytes.on("data", (chunk: Buffer) => chunks.push(chunk))
    bytes.on("end", () => resolve(Buffer.concat(chunks)))
    bytes.on("error", reject)
  })

describe("a zip", () => {
  it.live("may have more than 65,535 entries", () =>
    Effect.gen(function* () {
      const scratch = yield* folder
      const count = 65_536
      const entries = yield* Effect.promise(async () => {
        const made = start(scratch, 0)
        const bytes = buffer(made.bytes)
        for (let i = 1; i < count; i++) {
          const closed = (await made.entry(`${i}`)).close()
          // A turn of the event loop for each of them would take twice the time.
          if (i % 100 === 0) await closed
        }
        const last = await made.entry("last")
        await last.write("one too many")
        await last.close()
        assert.strictEqual(await made.seal(), count)
        return unzip(await bytes)
      })
      assert.strictEqual(entries.size, count)
      assert.strictEqual(entries.get("last")?.toString(), "one too many")
    })
  )
})
