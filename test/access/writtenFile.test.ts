import { writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { accessFileSignature, loadAccessFile } from "../../src/layers/access/AccessFileOnDisk.ts"
import { temporaryFolder } from "../support/gateway.ts"

it.effect("an access file that is written while it is read is not the version that was looked at", () =>
  Effect.gen(function* () {
    const path = join(yield* temporaryFolder, "access.yaml")
    const whole = "tenants:\n  one: {}\n  two: {}\n"
    writeFileSync(path, whole)
    yield* Effect.promise(async () => {
      const looked = await accessFileSignature(path)
      expect((await loadAccessFile(path)).signature).toBe(looked)
      const handle = await open(path)
      const handles = Object.getPrototypeOf(handle)
      await handle.close()
      const { read } = handles
      try {
        // As an editor does that writes into the file: what is read is its first half.
        handles.read = function (...given: ReadonlyArray<unknown>) {
          handles.read = read
          writeFileSync(path, whole.slice(0, 20))
          return read.apply(this, given)
        }
        const { file, signature } = await loadAccessFile(path)
        expect(Object.keys(file.tenants ?? {})).toEqual(["one"])
        expect(signature).not.toBe(looked)
      } finally {
        handles.read = read
      }
    })
  }).pipe(Effect.scoped)
)
