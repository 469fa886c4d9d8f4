import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { link, mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  act,
  blob,
  ended,
  engine,
  filesIn,
  flowline,
  follow,
  node,
  places,
  printed,
  settings,
  spec
} from "./support.ts"
import { unzip } from "./unzip.ts"

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i} ${"ä".repeat(i % 50)}`).join("\n")

describe("a run", () => {
  it.live("reads a file, filters it, and leaves a data file and a sealed archive", () =>
    Effect.gen(function* () {
      const { root, conf, data, blobs } = yield* places
      yield* Effect.promise(() => writeFile(join(conf, "samples", "a.log.gz"), gzipSync(lines(2000))))
      const run = flowline([
        node("file_input", { path: "samples/a.log.gz" }),
        node("filter", { where: 'contains(message, "line 1")' }, "file_input"),
        node("show", { limit: 2 }, "filter"),
        node("file_output", { path: "out/a.ndjson" }, "filter"),
        node("archive_output", { entry: "a.ndjson" }, "filter")
      ])
      const messages = yield* follow(spec(run)).pipe(Effect.provide(engine(settings(root))))

      assert.strictEqual(messages[0]?._tag, "Started")
      assert.deepStrictEqual(
        { ...ended(messages), at: 0 },
        { _tag: "Ended", outcome: "succeeded", at: 0 },
        JSON.stringify(messages)
      )
      assert.include(printed(messages)[1], "line 10 ")
      const wanted = lines(2000)
        .split("\n")
        .filter((line) => line.includes("line 1"))
        .map((message) => JSON.stringify({ message }))
        .join("\n")
      const file = yield* Effect.promise(() => readFile(join(data, "out", "a.ndjson"), "utf8"))
      assert.strictEqual(file.trimEnd(), wanted)
      const archived = messages.find((message) => message._tag === "Archived")
      assert.strictEqual(archived?.entries, 1)
      const zip = yield* blob(blobs, archived?.sha256 ?? "")
      assert.strictEqual(zip.length, archived?.size)
      assert.strictEqual(unzip(zip).get("a.ndjson")?.toString().trimEnd(), wanted)
      const counters = messages.findLast((message) => message._tag === "Counters")
      assert.deepStrictEqual(
        counters?.nodes.map(({ component, recordsIn, recordsOut }) => [component, recordsIn, recordsOut]),
        [
          ["file_input", 0, 2000],
          ["filter", 2000, wanted.split("\n").length],
          ["show", wanted.split("\n").length, 0],
          ["file_output", wanted.split("\n").length, 0],
          ["archive_output", wanted.split("\n").length, 0]
        ]
      )
      assert.deepStrictEqual(filesIn(join(root, "data", "acme", "unfinished")), [])
    })
  )

  it.live("keeps two entries that are written at once apart", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* places
      const messages = yield* follow(act("test_entries", { chunks: 8 })).pipe(Effect.provide(engine(settings(root))))
      const archived = messages.find((message) => message._tag === "Archived")
      const entries = unzip(yield* blob(blobs, archived?.sha256 ?? ""))
      assert.deepStrictEqual([...entries.keys()], ["a.bin", "b.bin"])
      assert.isTrue(entries.get("a.bin")?.equals(Buffer.alloc(8 * 256 * 1024, 7)))
      assert.strictEqual(entries.get("b.bin")?.toString(), "second\n".repeat(8))
      assert.deepStrictEqual(filesIn(join(root, "temp", "runs")), [])
    })
  )

  it.live("leaves nothing behind when it fails", () =>
    Effect.gen(function* () {
      const { root, blobs, data } = yield* places
      const both = Effect.all([
        follow(act("test_file", { chunks: 8, after: "throw" })),
        follow(act("test_entries", { chunks: 8, after: "throw" }))
      ])
      for (const messages of yield* both.pipe(Effect.provide(engine(settings(root))))) {
        assert.deepInclude(ended(messages), { outcome: "failed", error: "changed my mind" })
        assert.isFalse(messages.some((message) => message._tag === "Archived"))
      }
      assert.deepStrictEqual(
        [blobs, data, join(root, "temp", "runs"), join(root, "data", "acme", "unfinished")].flatMap(filesIn),
        []
      )
    })
  )

  it.live("gives the child no settings of the gateway", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      process.env["FLOW_TEST_SECRET"] = "hush"
      const messages = yield* follow(act("test_env")).pipe(Effect.provide(engine(settings(root))))
      const names = ["LANG", "LC_ALL", "NODE_COMPILE_CACHE", "PATH", "TZ"]
      assert.isEmpty(printed(messages).filter((name) => !names.includes(name)))
      assert.include(printed(messages), "PATH")
    }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["FLOW_TEST_SECRET"])))
  )
})

const folder = "the tenant's configuration folder"
const absent = `does not exist in ${folder} or its data area`

describe("configuration files", () => {
  it.live("are read inside the tenant's folder only", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const samples = join(conf, "samples")
      yield* Effect.promise(async () => {
        await writeFile(join(samples, "a.log"), "12345")
        await writeFile(join(root, "conf", "secret"), "secret")
        await mkdir(join(samples, "deep"))
        await link(join(samples, "a.log"), join(samples, "deep", "b.log"))
        await symlink("a.log", join(samples, "inside.log"))
        await symlink("../../../secret", join(samples, "outside.log"))
        await symlink("..", join(samples, "up"))
        await symlink("loop", join(samples, "loop"))
        await writeFile(join(samples, "cut.log.gz"), gzipSync(randomBytes(50_000)))
        await truncate(join(samples, "cut.log.gz"), 20_000)
        await writeFile(join(samples, "two.log.gz"), Buffer.concat([gzipSync("12"), gzipSync("345")]))
        await writeFile(join(samples, "plain.log.gz"), "not compressed")
        await writeFile(join(samples, "cut.log.zst"), zstdCompressSync(randomBytes(50_000)).subarray(0, 20_000))
        await writeFile(join(samples, "two.log.zst"), Buffer.concat([zstdCompressSync("12"), zstdCompressSync("345")]))
        await writeFile(join(samples, "plain.log.zst"), "not compressed")
        // What is behind a damage would be left out by a run that succeeds.
        for (const [end, packed] of [
          ["gz", gzipSync("12")],
          ["zst", zstdCompressSync("12")]
        ] as const) {
          await writeFile(join(samples, `torn.log.${end}`), Buffer.concat([packed, Buffer.from("\0\0torn"), packed]))
          await writeFile(join(samples, `filled.log.${end}`), Buffer.concat([packed, Buffer.alloc(1000)]))
        }
      })
      execFileSync("mkfifo", [join(samples, "pipe")])
      const torn = (end: string, kind: string) =>
        `Failure: The file "samples/torn.log.${end}" is not a valid ${kind} file`
      const wanted: Record<string, string> = {
        "samples/a.log": "samples/a.log 5",
        "samples/two.log.gz": "samples/two.log.gz 5",
        "samples/inside.log": "samples/inside.log 5",
        "samples/outside.log": `Failure: "samples/outside.log" is a link, or lies behind one, that leads out of ${folder}`,
        "samples/none.log": `Failure: The file "samples/none.log" ${absent}; did you mean "samples/a.log"?`,
        "samples/up/../a.log": 'Failure: The path "samples/up/../a.log" is not valid',
        "/etc/passwd": 'Failure: The path "/etc/passwd" is not valid',
        samples: 'Failure: "samples" is not a file',
        "samples/pipe": 'Failure: "samples/pipe" is not a file',
        "samples/loop": `Failure: The file "samples/loop" ${absent}`,
        "samples/*.log": "samples/a.log 5, samples/inside.log 5",
        "samples/**/b.log": "samples/deep/b.log 5",
        "nothing/*.log": "",
        "samples/cut.log.gz": 'Failure: The file "samples/cut.log.gz" is truncated',
        "samples/plain.log.gz": 'Failure: The file "samples/plain.log.gz" is not a valid gzip file',
        "samples/torn.log.gz": `${torn("gz", "gzip")}: behind the last gzip member is something else`,
        "samples/filled.log.gz": "samples/filled.log.gz 2",
        "samples/two.log.zst": "samples/two.log.zst 5",
        "samples/torn.log.zst": `${torn("zst", "zstd")}: behind the last zstd frame is something else`,
        "samples/filled.log.zst": "samples/filled.log.zst 2",
        "samples/cut.log.zst": 'Failure: The file "samples/cut.log.zst" is truncated',
        "samples/plain.log.zst": 'Failure: The file "samples/plain.log.zst" is not a valid zstd file'
      }
      const paths = Object.keys(wanted)
      const run = follow(act("test_read", { paths: paths.join(",") }))
      const lines = printed(yield* run.pipe(Effect.provide(engine(settings(root)))))
      assert.deepStrictEqual(Object.fromEntries(paths.map((path, i) => [path, lines[i]])), wanted)
    })
  )

  it.live("that do not exist fail the run by their name", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const run = spec(flowline([node("file_input", { path: "samples/none.log" }), node("show", {}, "file_input")]))
      const messages = yield* follow(run).pipe(Effect.provide(engine(settings(root))))
      const { error, component } = ended(messages)
      assert.deepStrictEqual([error, component], [`file_input: The file "samples/none.log" ${absent}`, "file_input"])
    })
  )
})
