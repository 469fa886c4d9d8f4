import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { safeName } from "../../src/run/archive/Zip.ts"
import { unzip } from "./unzip.ts"
import { buffer, folder, start } from "./zipping.ts"

describe("a zip", () => {
  it("has names that every unpacker reads alike", () => {
    const names = {
      "a/b.txt": "a/b.txt",
      "../../etc/passwd": "etc/passwd",
      "/abs": "abs",
      "a\\..\\b": "a/b",
      "C:/x": "C_/x",
      "a\u0000b\n": "a_b_",
      "...": "entry",
      "": "entry",
      "ä/\ud800": "ä/\ufffd"
    }
    assert.deepStrictEqual(Object.fromEntries(Object.keys(names).map((name) => [name, safeName(name)])), names)
  })

  it.live("keeps entries apart: open at once, of one name, empty, stored or deflated", () =>
    Effect.gen(function* () {
      const scratch = yield* folder
      for (const level of [0, 6]) {
        const entries = yield* Effect.promise(async () => {
          const made = start(scratch, level)
          const bytes = buffer(made.bytes)
          const sinks = [await made.entry("a.txt"), await made.entry("A.txt"), await made.entry("a.txt")]
          for (let i = 0; i < 1000; i++) for (const [n, sink] of sinks.entries()) await sink.write(`${n}:${i}\n`)
          for (const sink of sinks.reverse()) await sink.close()
          await (await made.entry("empty")).close()
          assert.strictEqual(await made.seal(), 4)
          return unzip(await bytes)
        })
        const text = (n: number) => Array.from({ length: 1000 }, (_, i) => `${n}:${i}\n`).join("")
        assert.deepStrictEqual(
          new Map([...entries].map(([name, bytes]) => [name, bytes.toString()])),
          new Map([
            ["a.txt", text(0)],
            ["a-3.txt", text(2)],
            ["A-2.txt", text(1)],
            ["empty", ""]
          ])
        )
      }
    })
  )

  it.live("that is aborted fails its reader and its writers, also those that wait", () =>
    Effect.gen(function* () {
      const scratch = yield* folder
      yield* Effect.promise(async () => {
        const made = start(scratch)
        const [first, second] = [await made.entry("a"), await made.entry("b")]
        // Nobody reads, so the writer has to wait in the end.
        const writing = (async () => {
          for (;;) await first.write(randomBytes(1024 * 1024))
        })()
        await second.write("x")
        const cause = new Error("enough")
        made.abort(cause)
        const failures = [writing, buffer(made.bytes), first.close(), second.close(), made.seal(), made.entry("c")]
        for (const result of await Promise.allSettled<unknown>(failures)) {
          assert.deepStrictEqual(result, { status: "rejected", reason: cause })
        }
      })
    })
  )

  it.live("is not sealed while an entry is open", () =>
    Effect.gen(function* () {
      const made = start(yield* folder)
      const bytes = buffer(made.bytes).catch(String)
      yield* Effect.promise(() => made.entry("a"))
      const sealed = yield* Effect.promise(() => made.seal().then(String, String))
      assert.strictEqual(sealed, "Error: an entry of the archive is still open")
      assert.strictEqual(yield* Effect.promise(() => bytes), sealed)
    })
  )
})
