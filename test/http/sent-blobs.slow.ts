import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { noise } from "../blobs/bytes.ts"
import { openBelow } from "../blobs/folder.ts"
import { ask, form, tenant } from "../resources/support.ts"
import { gateway, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { slowly } from "../support/slowly.ts"

const size = 12_345_678

layer(gateway(), { excludeTestServices: true })("blobs that are sent at the same time", (it) => {
  it.effect("keep their bytes, whoever reads slowly and whoever leaves", () =>
    Effect.gen(function* () {
      const { url, settings } = yield* TestGateway
      const contents = new Map([
        ["a", Uint8Array.from(noise(size, 1))],
        ["b", Uint8Array.from(noise(size, 2))]
      ])
      for (const [path, bytes] of contents) {
        const body = form({ file: { bytes }, path })
        assert.isBelow((yield* ask(`/v1/${tenant}/registry`, { method: "POST", body })).status, 300)
      }
      const of = (path: string) => `${url}/v1/${tenant}/registry/download/${path}`
      const begin = (path: string, from = 0) =>
        Effect.map(
          Effect.promise(() => slowly(of(path), from === 0 ? {} : { range: `bytes=${from}-` })),
          ({ rest, leave }) => {
            const expected = contents.get(path)!.subarray(from)
            return { leave, isWhole: Effect.map(Effect.promise(rest), (bytes) => bytes.equals(expected)) }
          }
        )
      // These wait with a block half sent while others use the memory of theirs again and again.
      const waiting = yield* Effect.forEach([0, 1, 700_000], (from) => begin("a", from), { concurrency: "unbounded" })
      const leaving = yield* Effect.forEach([0, 5], (from) => begin("a", from), { concurrency: "unbounded" })
      for (const { leave } of leaving) leave()
      for (let round = 0; round < 3; round++) {
        const all = yield* Effect.forEach(
          [0, 3, 600_000, size - 1],
          (from) => Effect.flatMap(begin("b", from), ({ isWhole }) => isWhole),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(all, [true, true, true, true])
      }
      for (const { isWhole } of waiting) assert.isTrue(yield* isWhole)
      const root = join(settings.data, "blobs")
      yield* until(
        Effect.sync(() => openBelow(root).length),
        (open) => open === 0
      )
    })
  )
})
