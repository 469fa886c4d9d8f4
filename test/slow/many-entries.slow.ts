import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unzip } from "../engine/unzip.ts"
import { buffer, folder, start } from "../engine/zipping.ts"

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
