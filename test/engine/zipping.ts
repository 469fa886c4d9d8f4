import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { Effect } from "effect"
import { zip } from "../../src/run/archive/Zip.ts"

export const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "flow-zip-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

export const start = (scratch: string, level = 1) => zip({ level, scratch: () => mkdtemp(join(scratch, "scratch-")) })

export const buffer = (bytes: Readable): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    bytes.on("data", (chunk: Buffer) => chunks.push(chunk))
    bytes.on("end", () => resolve(Buffer.concat(chunks)))
    bytes.on("error", reject)
  })
