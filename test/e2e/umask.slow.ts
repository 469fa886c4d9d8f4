import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { site } from "../support/process-gateway.ts"

/** What other users of the machine may write to, below a folder that they may pass. */
const openTo = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const entry = lstatSync(path)
    if (entry.isSymbolicLink()) return []
    const below = entry.isDirectory() && (entry.mode & 0o001) !== 0 ? openTo(path) : []
    return (entry.mode & 0o002) === 0 ? below : [path, ...below]
  })

describe("the data folder of a gateway whose umask forbids nothing", () => {
  it.live("has nothing that other users of the machine may write to, read or list", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true, through: ["sh", "-c", 'umask 000; exec "$@"', "sh"] })
      yield* Effect.promise(async () => {
        const { kill } = await here.start()
        const temporary = join(here.data, "tmp")
        await eventually("the first runner", () => readdirSync(temporary).length > 0)
        expect(openTo(here.data)).toEqual([])
        const readable = readdirSync(here.data).filter((name) => {
          const entry = lstatSync(join(here.data, name))
          return entry.isDirectory() && (entry.mode & 0o077) !== 0
        })
        expect(readable).toEqual([])
        expect((await kill("SIGTERM")).code).toBe(0)
      })
    })
  )
})
