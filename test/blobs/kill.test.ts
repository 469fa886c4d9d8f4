import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeBlob } from "../../src/drivers/blobs/disk/DiskBlobs.ts"
import { writeOwner } from "../../src/drivers/blobs/disk/DiskOwner.ts"
import { diskPaths } from "../../src/drivers/blobs/disk/DiskPaths.ts"
import { removeIf } from "../../src/drivers/blobs/disk/DiskRemove.ts"
import { boundedCalls, type Calls } from "../../src/drivers/blobs/disk/FileCalls.ts"
import { Root } from "../../src/drivers/blobs/disk/Folder.ts"
import { SyncRate } from "../../src/drivers/blobs/disk/SyncRate.ts"
import { cut, noise, sha256 } from "./bytes.ts"
import { scratch } from "./folder.ts"

const bytes = noise(1_200_000)
const hash = sha256(bytes)
const calls = boundedCalls(60_000, 3)

/** Makes so many calls, then none, like a process that is killed. `killed` resolves then. */
const dying = (number: number): { readonly call: Calls; readonly killed: Promise<boolean> } => {
  const { promise: killed, resolve } = Promise.withResolvers<boolean>()
  let left = number
  const call: Calls = Object.assign(
    <A>(start: Parameters<typeof calls<A>>[0], late?: (value: A) => void): Promise<A> => {
      if (left-- > 0) return calls(start, late)
      resolve(false)
      return new Promise(() => {})
    },
    { deadline: calls.deadline }
  )
  return { call, killed }
}

const write = (call: Calls, root: Root) =>
  writeBlob(call, new SyncRate(60_000), root, "one", cut(bytes), new AbortController().signal)

/** Files that no later start removes: neither a blob, nor its sums, nor the installation's id. */
const strange = (folder: string): ReadonlyArray<string> => {
  const blob = diskPaths(folder).blob("one", hash)
  const aside = (existsSync(join(folder, "one/tmp")) ? readdirSync(join(folder, "one/tmp")) : []).some((name) =>
    name.endsWith(`.${hash}`)
  )
  const known = [blob.path, ...(existsSync(blob.path) || aside ? [blob.sums] : []), join(folder, ".installation")]
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.parentPath.endsWith("/tmp"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !known.includes(path))
}

/** Kills the action at each of its calls, each time in a fresh folder that `before` has prepared. */
const killedEverywhere = Effect.fnUntraced(function* (
  before: (root: Root) => Promise<unknown>,
  action: (call: Calls, root: Root) => Promise<unknown>
) {
  for (let number = 0; ; number++) {
    const folder = join(yield* scratch, "blobs")
    const made = new Root(folder, calls)
    yield* Effect.promise(async () => {
      await made.prepare()
      await before(made)
    })
    const { call, killed } = dying(number)
    const root = new Root(folder, call)
    const isDone = yield* Effect.promise(() => Promise.race([action(call, root).then(() => true), killed]))
    assert.deepStrictEqual(strange(folder), [], `after ${number} calls`)
    if (isDone) return number
  }
})

describe("a kill leaves nothing that no start removes", () => {
  it.live("in the write of a blob with sums", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* killedEverywhere(async () => {}, write), 8)
    })
  )

  it.live("in the removal of a blob with sums", () =>
    Effect.gen(function* () {
      const before = (root: Root) => write(calls, root)
      const blobIn = (root: Root) => diskPaths(root.path).blob("one", hash)
      assert.isAbove(yield* killedEverywhere(before, (call, root) => removeIf(call, root, blobIn(root), () => true)), 4)
    })
  )

  it.live("in the write of the installation's id", () =>
    Effect.gen(function* () {
      assert.isAbove(
        yield* killedEverywhere(
          async () => {},
          (call, root) => writeOwner(call, root, "an-id")
        ),
        4
      )
    })
  )
})
