import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dataArea } from "../../src/drivers/files/Area.ts"
import { Allowance, DataFiles } from "../../src/run/files/DataFiles.ts"
import { TenantBudget } from "../../src/run/TenantBudget.ts"
import { filesIn } from "./support.ts"

const folders = Effect.acquireRelease(
  Effect.promise(async () => {
    const root = await mkdtemp(join(tmpdir(), "flow-data-"))
    return { root, data: join(root, "data"), unfinished: join(root, "unfinished") }
  }),
  ({ root }) => Effect.promise(() => rm(root, { recursive: true, force: true }))
)

const reason = (promise: Promise<unknown>) => promise.then(() => "no failure", String)

describe("data files", () => {
  it.live("keep the order of what is written, whether one waits or not, and appear at the end", () =>
    Effect.gen(function* () {
      const { data, unfinished } = yield* folders
      yield* Effect.promise(async () => {
        const files = new DataFiles(dataArea(data), unfinished, new Allowance(1e9), new TenantBudget("t"))
        const file = await files.open("a/b/c.log")
        const wanted: Array<string> = []
        for (let i = 0; i < 3000; i++) {
          const line = `${i} ${"é".repeat((i * 7919) % 5000)}\n`
          wanted.push(line)
          const room = file.write(i % 2 === 0 ? line : Buffer.from(line))
          if (i % 100 === 0) await room
        }
        assert.deepStrictEqual(filesIn(data), [])
        await file.close()
        assert.strictEqual(await readFile(join(data, "a/b/c.log"), "utf8"), wanted.join(""))
        assert.deepStrictEqual(filesIn(unfinished), [])
      })
    })
  )

  it.live("take bytes on loan, between others and in their order, until they are written", () =>
    Effect.gen(function* () {
      const { data, unfinished } = yield* folders
      yield* Effect.promise(async () => {
        const files = new DataFiles(dataArea(data), unfinished, new Allowance(7_000_000), new TenantBudget("t"))
        const file = await files.open("a.log")
        // One memory area for all loans: the next one starts when the last one has ended.
        const memory = new Uint8Array(new SharedArrayBuffer(100_000))
        const wanted: Array<string> = []
        for (let i = 0; i < 50; i++) {
          const returned = Promise.withResolvers<void>()
          memory.fill(97 + (i % 26))
          await file.write(`${i}\n`)
          await file.lend?.(memory, returned.resolve)
          await file.write("\n")
          wanted.push(`${i}\n${String.fromCharCode(97 + (i % 26)).repeat(memory.length)}\n`)
          await returned.promise
        }
        await file.close()
        assert.isTrue((await readFile(join(data, "a.log"), "utf8")) === wanted.join(""))
        const other = await files.open("b.log")
        const returned = Promise.withResolvers<void>()
        const large = new Uint8Array(2_000_000)
        assert.throws(() => other.lend?.(large, returned.resolve), /exceeds the size limit/)
        await returned.promise
        await files.clear()
      })
    })
  )

  it.live("replace each other as a whole, and what is not closed is cleared", () =>
    Effect.gen(function* () {
      const { data, unfinished } = yield* folders
      yield* Effect.promise(async () => {
        const files = new DataFiles(dataArea(data), unfinished, new Allowance(1e9), new TenantBudget("t"))
        for (const text of ["first, and longer", "second"]) {
          const file = await files.open("a.txt")
          await file.write(text)
          await file.close()
        }
        const third = await files.open("a.txt")
        await third.write("third")
        await files.clear()
        assert.strictEqual(await readFile(join(data, "a.txt"), "utf8"), "second")
        assert.isFalse(existsSync(unfinished))
      })
    })
  )

  it.live("stay in their folder", () =>
    Effect.gen(function* () {
      const { root, data, unfinished } = yield* folders
      yield* Effect.promise(async () => {
        const outside = join(root, "outside")
        await mkdir(outside)
        await mkdir(join(data, "folder"), { recursive: true })
        await symlink(outside, join(data, "link"))
        await writeFile(join(outside, "kept"), "kept")
        await symlink(join(outside, "kept"), join(data, "file-link"))
        const files = new DataFiles(dataArea(data), unfinished, new Allowance(1e9), new TenantBudget("t"))
        const write = async (path: string) => {
          const file = await files.open(path)
          await file.write("x")
          await file.close()
        }
        for (const path of ["../x", "/x", "a//b", "a/./b", "", "a/../../x", "x".repeat(256)]) {
          assert.strictEqual(await reason(write(path)), `Failure: The path "${path}" is not valid`)
        }
        // Shown so that a message stays in its line.
        for (const [path, shown] of [
          ["a\\b", "a\\\\b"],
          ["a\u0000b", "a\\x00b"],
          ["a\nb", "a\\nb"]
        ] as const) {
          assert.strictEqual(await reason(write(path)), `Failure: The path "${shown}" is not valid`)
        }
        assert.strictEqual(
          await reason(write("link/x")),
          'Failure: The file "link/x" could not be written: "link" is a link, which could lead out of the tenant\'s data area'
        )
        assert.strictEqual(
          await reason(write("folder")),
          'Failure: The file "folder" could not be written: a folder and a file have the same path'
        )
        // A link in the place of the file is replaced, not followed.
        await write("file-link")
        assert.strictEqual(await readFile(join(outside, "kept"), "utf8"), "kept")
        assert.deepStrictEqual(filesIn(outside), [join(outside, "kept")])
      })
    })
  )
})
