import { open, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { FollowedFile } from "../../src/run/files/tail/FollowedFile.ts"
import { identify } from "../../src/run/files/tail/Identity.ts"
import { temporaryFolder } from "../support/gateway.ts"

it.effect("what a followed file holds back is due in time when the clock is turned back", () =>
  Effect.gen(function* () {
    const path = join(yield* temporaryFolder, "a.log")
    yield* Effect.promise(async () => {
      await writeFile(path, "one\n")
      const handle = await open(path)
      const now = Date.now
      try {
        const nothing = { offset: 0, line: 1, turn: 0, counts: { records: 0, failures: 0 } }
        const file = new FollowedFile(1, "a.log", handle, await identify(handle), nothing, "utf-8")
        expect((await file.next())?.end).toBe(4)
        Date.now = () => now() - 3_600_000
        expect(file.dueIn(2)).toBeLessThanOrEqual(2000)
      } finally {
        Date.now = now
        await handle.close()
      }
    })
  }).pipe(Effect.scoped)
)
