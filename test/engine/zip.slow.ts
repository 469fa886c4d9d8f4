import { spawnSync } from "node:child_process"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, start } from "./zipping.ts"

it.live(
  "an archive has entries of more than 4 GiB, and entries behind them",
  () =>
    Effect.gen(function* () {
      const scratch = yield* folder
      yield* Effect.promise(async () => {
        const made = start(scratch, 0)
        const path = join(scratch, "made.zip")
        const stored = pipeline(made.bytes, createWriteStream(path))
        const piece = Buffer.alloc(1024 * 1024, "large ")
        const large = await made.entry("large")
        for (let n = 0; n < 4100; n++) await large.write(piece)
        await large.close()
        const behind = await made.entry("behind")
        await behind.write("the last entry")
        await behind.close()
        await made.seal()
        await stored
        const program = `import zipfile
z = zipfile.ZipFile("made.zip")
print(z.testzip(), z.getinfo("large").file_size, z.getinfo("behind").header_offset > 4 << 30, z.read("behind").decode())`
        const { stdout, stderr } = spawnSync("python3", ["-c", program], { cwd: scratch, encoding: "utf8" })
        assert.strictEqual(stdout.trim(), `None ${4100 * 1024 * 1024} True the last entry`, stderr)
        const unpacked = spawnSync("unzip", ["-tq", path], { encoding: "utf8" })
        // Not every machine has it.
        if (unpacked.error === undefined) assert.strictEqual(unpacked.status, 0, unpacked.stdout + unpacked.stderr)
      })
    }),
  240_000
)
