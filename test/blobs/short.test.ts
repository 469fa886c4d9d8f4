import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyInto } from "../../src/drivers/blobs/disk/CopyInto.ts"
import { boundedCalls } from "../../src/drivers/blobs/disk/FileCalls.ts"
import { FileWriter } from "../../src/drivers/blobs/disk/FileWriter.ts"
import { SyncRate } from "../../src/drivers/blobs/disk/SyncRate.ts"
import { cut, noise, sha256 } from "./bytes.ts"
import { scratch } from "./folder.ts"

const mib = 1024 * 1024

describe("the writer of a file", () => {
  it.effect.each([
    [0, true],
    [1, true],
    [mib, true],
    [mib + 1, false]
  ] as const)("opens one of %i bytes for synced writes: %s", ([size, isSynced]) =>
    Effect.gen(function* () {
      const path = join(yield* scratch, "file")
      const opened: Array<boolean> = []
      let fd = -1
      const writer = new FileWriter(boundedCalls(5000, 3), new SyncRate(5000), async (synced) => {
        opened.push(synced)
        fd = openSync(path, "wx")
        return fd
      })
      yield* Effect.promise(() => copyInto(cut(noise(size)), writer, new AbortController().signal))
      assert.strictEqual(opened.length, size > mib ? 1 : 0)
      const written = yield* Effect.promise(() => writer.finish())
      assert.deepStrictEqual(opened, [isSynced])
      assert.strictEqual(written.sha256, sha256(noise(size)))
      assert.strictEqual(written.sums !== undefined, size > mib)
      writer.close()
      closeSync(fd)
    })
  )
})
