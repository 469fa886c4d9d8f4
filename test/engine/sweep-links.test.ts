import { existsSync, utimesSync } from "node:fs"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { unfinishedIn } from "../../src/drivers/files/Area.ts"
import { removeUnfinished, sweepRoot } from "../../src/layers/engine/RunFolders.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "flow-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

/** A folder of a gateway on another machine that nobody has changed for two months, or of anybody else. */
const old = async (above: string, name: string): Promise<string> => {
  const path = join(above, name)
  await mkdir(path, { recursive: true })
  await writeFile(join(path, "1"), "x")
  const then = Date.now() / 1000 - 60 * 24 * 3600
  for (const each of [join(path, "1"), path]) utimesSync(each, then, then)
  return path
}

const gateway = "1-2-elsewhere"

it.live("leftovers of gateways in a root are removed, and nothing else", () =>
  Effect.gen(function* () {
    const area = yield* folder
    yield* Effect.promise(async () => {
      const own = { path: join(area, "own"), writable: true }
      const [left, other] = [await old(unfinishedIn(own), gateway), await old(unfinishedIn(own), "photos")]
      await sweepRoot(own)
      assert.deepStrictEqual([existsSync(left), existsSync(other)], [false, true])
    })
  })
)

it.live("unfinished files of a run are removed, but not behind a link", () =>
  Effect.gen(function* () {
    const area = yield* folder
    yield* Effect.promise(async () => {
      const own = { path: join(area, "own"), writable: true }
      const [run, outside] = [await old(join(unfinishedIn(own), gateway), "7"), await old(join(area, "outside"), "7")]
      await removeUnfinished(own, { scratch: join("scratch", gateway, "7") })
      await symlink(join(area, "outside"), join(unfinishedIn(own), "1-2-linked"))
      await removeUnfinished(own, { scratch: join("scratch", "1-2-linked", "7") })
      assert.deepStrictEqual([existsSync(run), existsSync(outside)], [false, true])
    })
  })
)

it.live("leftovers are not looked for behind links, which lead out of the root", () =>
  Effect.gen(function* () {
    const area = yield* folder
    yield* Effect.promise(async () => {
      const outside = await old(join(area, "outside", "unfinished"), gateway)
      const [one, other] = ["one", "other"].map((name) => ({ path: join(area, name), writable: true }))
      await mkdir(join(area, "one"))
      await mkdir(join(area, "other", ".flow"), { recursive: true })
      await symlink(join(area, "outside"), join(area, "one", ".flow"))
      await symlink(join(area, "outside", "unfinished"), join(area, "other", ".flow", "unfinished"))
      for (const root of [one!, other!]) await sweepRoot(root)
      assert.isTrue(existsSync(outside))
    })
  })
)
