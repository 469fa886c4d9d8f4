import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as BlobsAt from "../../src/drivers/blobs/BlobsAt.ts"
import { program } from "../../src/drivers/Programs.ts"
import { blockBytes } from "../../src/nodes/inputs/files/Blocks.ts"
import type { DagNode, RunSettings } from "../../src/protocol/Flowline.ts"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { eventually } from "../support/process.ts"
import {
  blob,
  ended,
  engine,
  filesIn,
  flowline,
  follow,
  group,
  node,
  places,
  printed,
  settings,
  spec
} from "./support.ts"
import { unzip } from "./unzip.ts"

// The product's own program: the parts are threads of it.
const entry = program("run")

const levels = ["info", "warn", "odd", ""]
const line = (at: number) =>
  at % 97 === 0
    ? "what is this"
    : `2026-01-02T03:04:${String(at % 60).padStart(2, "0")}Z ${levels[at % 4]} user=${at % 13} text="é${"x".repeat((at * 7919) % 6000)}"`
const lines = (count: number, from = 0) => Array.from({ length: count }, (_, at) => line(from + at)).join("\n")

const on = (it: DagNode, ...streams: ReadonlyArray<readonly [component: string, stream: string]>): DagNode => ({
  ...it,
  subscribe: streams.map(([component, stream]) => ({ component, stream }))
})
const named = (component: string, it: DagNode, ...publish: ReadonlyArray<string>): DagNode => ({
  ...it,
  component,
  publish: ["out", ...publish].map((stream) => ({ stream }))
})

/** Nodes without state, then some with it, and outputs behind both. */
const dag = (path: string): readonly [DagNode, ...Array<DagNode>] => [
  named("in", node("file_input", { path })),
  named(
    "parse",
    node("grok", { patterns: ["%{NOTSPACE:time} (?:%{WORD:level})? %{GREEDYDATA:rest}"] }, "in"),
    "errors"
  ),
  named("when", node("date", { field: "time", formats: ["ISO8601"] }, "parse")),
  named("pairs", node("kv", { field: "rest" }, "when")),
  named("known", node("enrich", { path: "users.csv", field: "user", key: "id" }, "pairs")),
  named("code", node("flowlet", { code: "if (event.user == 5) print(event.name); event.n = event.user * 1" }, "known")),
  named("limit", node("rate_limit", { records_per_second: 1_000_000 }, "code")),
  on(named("all", node("file_output", { path: "all.ndjson" })), ["code", "out"], ["parse", "errors"]),
  on(named("table", node("archive_output", { entry: "t.csv" })), ["limit", "out"]),
  on(named("some", node("archive_output", { entry: "s.csv", columns: ["name", "n"] })), ["code", "out"]),
  on(named("shown", node("show", { limit: 5 })), ["in", "out"], ["limit", "out"])
]

/** Records that are looked up and then come out one after the other, at this rate. */
const limited = (rate: number, limits: typeof RunSettings.Type) =>
  flowline(
    [
      named("in", node("file_input", { path: "a.log" })),
      named("known", node("enrich", { path: "users.csv", field: "message", key: "id" }, "in")),
      named("limit", node("rate_limit", { records_per_second: rate }, "known")),
      named("shown", node("show", { limit: 5 }, "limit"))
    ],
    limits
  )

/** The gateway makes the folder of the blobs before any run. */
const folderOf = (blobs: string) => Effect.provide(Blobs, Layer.orDie(BlobsAt.layer({ kind: "disk", root: blobs })))

const result = (conf: string, path: string, parallelism: number) =>
  Effect.gen(function* () {
    const { root, data, blobs } = yield* places
    const files = join(root, "conf", "tenants", "acme")
    yield* Effect.promise(async () => {
      await mkdir(join(files, "logs"), { recursive: true })
      for (const name of ["a.log", "b.log.gz", "users.csv"]) {
        const at = name === "users.csv" ? name : `logs/${name}`
        await writeFile(join(files, at), await readFile(join(conf, at)))
      }
    })
    yield* folderOf(blobs)
    const run = spec(flowline(dag(path), { parallelism }))
    const messages = yield* follow(run).pipe(Effect.provide(engine(settings(root, { entry }))))
    assert.strictEqual(ended(messages).error, undefined)
    const archived = messages.find((message) => message._tag === "Archived")
    const zip = unzip(yield* blob(blobs, archived?.sha256 ?? ""))
    assert.deepStrictEqual(filesIn(data).length, 1)
    return {
      file: yield* Effect.promise(() => readFile(join(data, "all.ndjson"), "utf8")),
      entries: [...zip].map(([name, bytes]) => [name, bytes.toString()]),
      printed: printed(messages),
      counters: messages.findLast((message) => message._tag === "Counters")?.nodes
    }
  })

describe("a run in parallel parts", () => {
  it.live("writes, prints and counts what one in a single part does, byte for byte", () =>
    Effect.gen(function* () {
      const { conf } = yield* places
      yield* Effect.promise(async () => {
        await mkdir(join(conf, "logs"), { recursive: true })
        // Some blocks for each part.
        assert.isAbove(lines(450).length, 4 * blockBytes)
        await writeFile(join(conf, "logs", "a.log"), lines(450))
        await writeFile(join(conf, "logs", "b.log.gz"), gzipSync(lines(150, 450)))
        await writeFile(join(conf, "users.csv"), "id,name\n1,one\n5,five\n")
      })
      const one = yield* result(conf, "logs/*", 1)
      const two = yield* result(conf, "logs/*", 2)
      assert.strictEqual(two.file === one.file, true)
      assert.deepStrictEqual(two.printed, one.printed)
      assert.deepStrictEqual(two.counters, one.counters)
      assert.strictEqual(JSON.stringify(two.entries) === JSON.stringify(one.entries), true)
    })
  )

  it.live("fails as one does when a node cannot start in a part", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      // Also when there is nothing to do.
      for (const count of [20, 0]) {
        yield* Effect.promise(() => writeFile(join(conf, "a.log"), lines(count)))
        const run = spec(flowline(dag("a.log"), { parallelism: 2 }))
        const end = ended(yield* follow(run).pipe(Effect.provide(engine(settings(root, { entry })))))
        assert.deepStrictEqual(
          [end.component, end.error],
          ["known", `known: The file "users.csv" does not exist in the tenant's configuration folder or its data area`]
        )
      }
    })
  )

  it.live("is held to its memory, that of its threads included", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const rows = Array.from({ length: 400_000 }, (_, at) => `${at},name of ${at}\n`).join("")
      yield* Effect.promise(async () => {
        await writeFile(join(conf, "a.log"), lines(200))
        await writeFile(join(conf, "users.csv"), `id,name\n${rows}`)
      })
      const run = spec(flowline(dag("a.log"), { parallelism: 64, memory_mib: 64 }))
      const given = settings(root, { entry, memoryAllowanceMib: 128 })
      const end = ended(yield* follow(run).pipe(Effect.provide(engine(given))))
      assert.strictEqual(end.error, "The run was stopped at its memory limit of 64 MiB")
    })
  )

  it.live("leaves nothing behind when it is cancelled", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      yield* Effect.promise(async () => {
        await writeFile(join(conf, "a.log"), lines(1500))
        await writeFile(join(conf, "users.csv"), "id,name\n1,one\n")
      })
      const messages: Array<RunMessage> = []
      yield* Effect.gen(function* () {
        const { run } = yield* Engine
        const fiber = yield* Effect.forkScoped(
          Stream.runForEach(run(spec(limited(100, { parallelism: 2 }))), (message) =>
            Effect.sync(() => void messages.push(message))
          )
        )
        yield* Effect.promise(() => eventually("a line is printed", () => printed(messages).length > 0))
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(engine(settings(root, { entry }))), Effect.scoped)
      const [started] = messages
      assert.strictEqual(started?._tag, "Started")
      assert.deepStrictEqual(started?._tag === "Started" ? group(started.pid) : [0], [])
      assert.deepStrictEqual(
        filesIn(join(root, "temp")).filter((file) => !file.includes("compiled")),
        []
      )
    })
  )
})
