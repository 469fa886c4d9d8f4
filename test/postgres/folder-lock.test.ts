import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { lockFolder } from "../../src/layers/postgres/embedded/FolderLock.ts"
import { runFile } from "../support/process.ts"
import { temporary } from "../support/process-gateway.ts"

it.live("starts that end before they have named themselves leave one file at most, which the next start removes", () =>
  Effect.gen(function* () {
    const folder = yield* temporary
    const name = join(folder, "gateway.lock")
    // Nobody can take this name, as if each start were killed just before that.
    mkdirSync(join(name, "taken"), { recursive: true })
    yield* Effect.flip(Effect.scoped(lockFolder(folder)))
    const { exit } = runFile(new URL("./lock.ts", import.meta.url), [folder])
    expect((yield* Effect.promise(() => exit)).code).toBe(1)
    expect(readdirSync(folder).sort()).toEqual(["gateway.lock", "gateway.lock.db", "gateway.lock.new"])
    rmSync(name, { recursive: true })
    yield* Effect.scoped(
      Effect.andThen(
        lockFolder(folder),
        Effect.sync(() => expect(readdirSync(folder).sort()).toEqual(["gateway.lock", "gateway.lock.db"]))
      )
    )
  })
)
