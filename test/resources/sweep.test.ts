import { readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { gateway, TestGateway } from "../support/gateway.ts"
import { ask, form, tenant, upload } from "./support.ts"

const base = `/v1/${tenant}`

/** Every blob of the tenant, made to look as old as the grace time and more. */
const ageAll = Effect.map(TestGateway, ({ settings }) => {
  const folder = join(settings.data, "blobs", tenant, "blobs")
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const then = Date.now() / 1000 - 7200
  for (const { parentPath, name } of files) utimesSync(join(parentPath, name), then, then)
  return files.map(({ name }) => name).sort()
})

const sweep = (dryRun: boolean) =>
  Effect.map(
    ask(`${base}/resources/sweep?dryRun=${dryRun}`, { method: "POST" }),
    ({ json }) => json as { dryRun: boolean; bytes: number; blobs: ReadonlyArray<{ sha256: string; size: number }> }
  )

layer(gateway(), { excludeTestServices: true })("the sweep", (it) => {
  it.effect("shows and removes what nothing refers to, and only that", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const source = (text: string) =>
        (async function* () {
          yield new TextEncoder().encode(text)
        })()
      yield* upload({ artifact: "kept" }, "of an artifact")
      yield* upload({ artifact: "gone" }, "of a copy", "f")
      yield* ask(`${base}/resources/copy/org/example/gone/f`, { method: "PUT", body: form({ destination: "copy" }) })
      yield* ask(`${base}/resources/delete?group=org.example&artifact=gone`, { method: "DELETE" })
      for (const bytes of ["an older version", "of the registry"]) {
        yield* ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes }, path: "r" }) })
      }
      const free = yield* blobs.write(tenant, source("of nobody"))
      // Young: its writer may be about to refer to it.
      expect(yield* sweep(false)).toEqual({ dryRun: false, bytes: 0, blobs: [] })
      const all = yield* ageAll
      expect(all).toHaveLength(5)
      const again = yield* blobs.write(tenant, source("of nobody"))
      expect(again).toEqual(free)
      // Found again just now: it stays.
      expect((yield* sweep(true)).blobs).toEqual([])
      yield* ageAll
      const shown = yield* sweep(true)
      expect(shown).toMatchObject({ dryRun: true, bytes: 9, blobs: [{ sha256: free.sha256, size: 9 }] })
      expect(yield* ageAll).toEqual(all)
      expect((yield* sweep(false)).blobs.map(({ sha256 }) => sha256)).toEqual([free.sha256])
      expect(yield* ageAll).toEqual(all.filter((sha256) => sha256 !== free.sha256))
      expect((yield* ask(`${base}/resources/content/copy`)).text).toBe("of a copy")
      expect((yield* ask(`${base}/registry/download/r?version=1`)).text).toBe("an older version")
    })
  )
})
