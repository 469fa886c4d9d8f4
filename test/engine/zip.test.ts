import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EntryNames, type RenamedEntry, safeName } from "../../src/run/archive/EntryNames.ts"
import { randomOf } from "../search/generated.ts"
import { unzip as checked } from "../support/zip.ts"
import { unzip } from "./unzip.ts"
import { buffer, folder, start } from "./zipping.ts"

const manifestOf = (renamed: ReadonlyArray<RenamedEntry>): string => `${JSON.stringify({ renamed }, null, 2)}\n`

/** Names that are not the same anywhere, and what becomes of them in this order. */
const twins: ReadonlyArray<readonly [wanted: string, name: string]> = [
  ["a.csv", "a.csv"],
  ["A.CSV", "A-2.CSV"],
  ["caf\u00e9", "caf\u00e9"],
  ["cafe\u0301", "cafe\u0301-2"],
  ["stra\u00dfe", "stra\u00dfe"],
  ["STRASSE", "STRASSE-2"],
  ["x", "x"],
  ["x/y", "x-2/y"],
  ["X/z", "X-2/z"],
  ["d/e.f/g", "d/e.f/g"],
  ["D/E.F", "D/E-2.F"],
  ["a-2.csv", "a-2-2.csv"],
  ["aux.", "aux_"],
  [".hidden", ".hidden"],
  ["\u65e5\u672c.txt", "\u65e5\u672c.txt"]
]

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
      "a\u202etxt.exe": "a_txt.exe",
      "x/.\u200d./y": "x/y",
      "": "entry",
      "ä/\ud800": "ä/\ufffd",
      CON: "CON_",
      "logs/nul.csv": "logs/nul_.csv",
      "Com1 .tar.gz": "Com1_ .tar.gz",
      "lpt¹/a": "lpt¹_/a",
      "console.txt": "console.txt",
      "report.": "report_",
      "folder. /a ": "folder_/a_",
      "CON.": "CON_",
      [`${"é".repeat(300)}.csv`]: `${"é".repeat(118)}.csv`
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
          assert.strictEqual(await made.seal(), 5)
          return unzip(await bytes)
        })
        const text = (n: number) => Array.from({ length: 1000 }, (_, i) => `${n}:${i}\n`).join("")
        assert.deepStrictEqual(
          new Map([...entries].map(([name, bytes]) => [name, bytes.toString()])),
          new Map([
            ["a.txt", text(0)],
            ["a-3.txt", text(2)],
            ["A-2.txt", text(1)],
            ["empty", ""],
            [
              "manifest.json",
              manifestOf([
                { entry: "A.txt", as: "A-2.txt" },
                { entry: "a.txt", as: "a-3.txt" }
              ])
            ]
          ])
        )
      }
    })
  )

  it.live("has entries that other programs unpack under their names, and tells which were renamed", () =>
    Effect.gen(function* () {
      const scratch = yield* folder
      yield* Effect.promise(async () => {
        const made = start(scratch)
        const bytes = buffer(made.bytes)
        for (const [wanted] of [...twins, ["manifest.json"] as const]) {
          const sink = await made.entry(wanted)
          await sink.write(`content of ${wanted}`)
          await sink.close()
        }
        await made.seal()
        await writeFile(join(scratch, "made.zip"), await bytes)
        const entries = unzip(await bytes)
        const names = twins.map(([, name]) => name)
        assert.deepStrictEqual([...entries.keys()], [...names, "manifest.json", "manifest-2.json"])
        const renamed = twins.flatMap(([entry, as]) => (entry === as ? [] : [{ entry, as }]))
        assert.strictEqual(entries.get("manifest-2.json")?.toString(), manifestOf(renamed))
        assert.strictEqual(entries.get("manifest.json")?.toString(), "content of manifest.json")
        const program =
          "import json, zipfile; z = zipfile.ZipFile('made.zip'); z.testzip(); print(json.dumps(z.namelist()))"
        const python = spawnSync("python3", ["-c", program], { cwd: scratch, encoding: "utf8" })
        // Not every machine has these two.
        if (python.error === undefined)
          assert.deepStrictEqual(JSON.parse(python.stdout), [...entries.keys()], python.stderr)
        const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" }
        const unpacked = spawnSync("unzip", ["-q", "made.zip", "-d", "out"], { cwd: scratch, env, encoding: "utf8" })
        if (unpacked.error !== undefined) return
        assert.strictEqual(unpacked.status, 0, unpacked.stderr)
        for (const [wanted, name] of twins) {
          assert.strictEqual(await readFile(join(scratch, "out", name), "utf8"), `content of ${wanted}`)
        }
      })
    })
  )

  it("has names of which no two are one where case and accents do not count", () => {
    const random = randomOf(5)
    for (let run = 0; run < 300; run++) {
      const names = new EntryNames()
      const segment = () => random.pick(["a", "A", "a.", "é", "e\u0301", "ß", "ss", "con", "a-2", "b.c"])
      const taken = Array.from({ length: 12 }, () =>
        names.take(Array.from({ length: 1 + random.below(3) }, segment).join("/"))
      )
      const keys = taken.map((name) => name.normalize("NFKD").toUpperCase())
      assert.lengthOf(new Set(keys), taken.length, JSON.stringify(taken))
      for (const key of keys)
        assert.isFalse(
          keys.some((other) => other.startsWith(`${key}/`)),
          JSON.stringify(taken)
        )
    }
  })

  it.live("gives back entries of any size, whatever pieces they were written in", () =>
    Effect.gen(function* () {
      const scratch = yield* folder
      const random = randomOf(17)
      const block = 1024 * 1024
      const sizes = [0, 1, 32 * 1024, 32 * 1024 + 1, block - 1, block, block + 1, 3 * block + 5]
      for (const level of [0, 1, 5]) {
        yield* Effect.promise(async () => {
          const made = start(scratch, level)
          const bytes = buffer(made.bytes)
          const contents = sizes.map((size) => {
            // Words that come again, also from one block to the next, and noise.
            const words = Array.from({ length: 50 }, () => randomBytes(1 + random.below(400)))
            return Buffer.concat(Array.from({ length: 1 + size / 50 }, () => random.pick(words))).subarray(0, size)
          })
          const piece = Buffer.alloc(700_000)
          for (const [nth, content] of contents.entries()) {
            const sink = await made.entry(`e${nth}`)
            for (let at = 0; at < content.length; ) {
              const taken = content.copy(piece, 0, at, at + 1 + random.below(piece.length))
              await sink.write(piece.subarray(0, taken))
              // The zip has copied it.
              piece.fill(0)
              at += taken
            }
            await sink.close()
          }
          await made.seal()
          const entries = unzip(await bytes)
          assert.deepStrictEqual(
            [...entries.keys()],
            contents.map((_, nth) => `e${nth}`)
          )
          for (const [nth, content] of contents.entries()) {
            assert.isTrue(entries.get(`e${nth}`)?.equals(content), `level ${level}, ${content.length} bytes`)
          }
        })
      }
    })
  )

  it.live("packs blocks as well as a whole", () =>
    Effect.gen(function* () {
      const made = start(yield* folder, 5)
      const bytes = buffer(made.bytes)
      const noise = randomBytes(30 * 1024)
      const packed = yield* Effect.promise(async () => {
        const sink = await made.entry("noise")
        for (let n = 0; n < 200; n++) await sink.write(noise)
        await sink.close()
        await made.seal()
        return bytes
      })
      // Each of its six blocks would have the noise once if it did not know the one before.
      assert.isBelow(packed.length, 3 * noise.length)
      assert.isTrue(
        unzip(packed)
          .get("noise")
          ?.equals(Buffer.concat(Array(200).fill(noise)))
      )
    })
  )

  it.live("may have more entries than 16 bits count", () =>
    Effect.gen(function* () {
      const made = start(yield* folder)
      const bytes = buffer(made.bytes)
      const count = 65_600
      const entries = yield* Effect.promise(async () => {
        for (let n = 0; n < count; n++) {
          const sink = await made.entry(`${n}`)
          await sink.write(`entry ${n}`)
          await sink.close()
        }
        assert.strictEqual(await made.seal(), count)
        return checked(await bytes)
      })
      assert.lengthOf(entries, count)
      assert.strictEqual(entries.at(-1)?.bytes.toString(), `entry ${count - 1}`)
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
