import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import type { DagNode } from "../../src/protocol/Flowline.ts"
import type { RunSpec } from "../../src/protocol/RunProtocol.ts"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { ended, engine, filesIn, flowline, follow, node, places, printed, settings, spec } from "./support.ts"

const entry = program("run")

/** Two folders outside of the configuration, one of them writable. */
const withRoots = Effect.map(places, (found) => {
  const [logs, out] = [join(found.root, "logs"), join(found.root, "out")]
  for (const folder of [logs, out]) mkdirSync(folder)
  const roots = { logs: { path: logs, writable: false }, out: { path: out, writable: true } }
  const run = (dag: readonly [DagNode, ...Array<DagNode>], given: Partial<RunSpec> = {}): RunSpec => ({
    ...spec(flowline(dag)),
    roots,
    rootNames: Object.keys(roots),
    ...given
  })
  const said = (run: RunSpec) =>
    Effect.map(follow(run).pipe(Effect.provide(engine(settings(found.root, { entry })))), (messages) => ({
      error: ended(messages).error,
      lines: printed(messages).map((line) => JSON.parse(line).message)
    }))
  return { ...found, logs, out, roots, run, said }
})

const shown = node("show", { format: "json" }, "file_input")
const input = (given: DagNode["settings"]) => node("file_input", given)
const words = node("generator_input", { messages: ["one", "two"], count: 2 })
const output = (given: DagNode["settings"]) => node("file_output", given, "generator_input")

describe("a root", () => {
  it.live("is read by globs and plain paths, whatever a file's compression, also in parallel parts", () =>
    Effect.gen(function* () {
      const { conf, logs, run, said } = yield* withRoots
      mkdirSync(join(logs, "deep"))
      writeFileSync(join(logs, "a.log"), "a\n")
      writeFileSync(join(logs, "deep", "b.log"), "b\n")
      writeFileSync(join(logs, "deep", "c.log.gz"), gzipSync("c\n"))
      writeFileSync(
        join(logs, "deep", "d.log.zst"),
        Buffer.concat(["d\n", "e\n"].map((text) => zstdCompressSync(text)))
      )
      const read = (path: string) => said(run([input({ root: "logs", path }), shown]))
      assert.deepStrictEqual(yield* read("**/*.log*"), { error: undefined, lines: ["a", "b", "c", "d", "e"] })
      assert.deepStrictEqual((yield* read("deep/b.log")).lines, ["b"])
      // Names with the characters of patterns, also where no root is named.
      for (const [folder, given] of [
        [logs, { root: "logs" }],
        [join(conf, "odd"), {}]
      ] as const) {
        mkdirSync(join(folder, "{x}"), { recursive: true })
        writeFileSync(join(folder, "{x}", "odd[1]*.txt"), "odd\n")
        const path = folder === logs ? "**/*.txt" : "odd/**/*.txt"
        const found = yield* said(run([input({ ...given, path }), shown]))
        assert.deepStrictEqual(found, { error: undefined, lines: ["odd"] })
      }
      const parallel = flowline(
        [
          input({ root: "logs", path: "**/*.log*" }),
          node("filter", { where: "message != 'b'" }, "file_input"),
          node("enrich", { root: "logs", path: "table.csv", field: "message", key: "word", target: "found" }, "filter"),
          node("show", { format: "json" }, "enrich")
        ],
        { parallelism: 2 }
      )
      writeFileSync(join(logs, "table.csv"), "word,meaning\nc,third\n")
      const { lines } = yield* said(run(parallel.dag, { flowline: parallel }))
      assert.deepStrictEqual(lines, ["a", "c", "d", "e"])
    })
  )

  it.live("is written, and read by the same name; whole files appear at once, others may read them", () =>
    Effect.gen(function* () {
      const { out, run, said } = yield* withRoots
      const files = { "a/b.ndjson": String, "b.lines.gz": gunzipSync, "c.lines.zst": zstdDecompressSync }
      for (const [path, decoded] of Object.entries(files)) {
        assert.isUndefined((yield* said(run([words, output({ root: "out", path, format: "ndjson" })]))).error)
        assert.strictEqual(
          String(decoded(readFileSync(join(out, path)))),
          '{"message":"one"}\n{"message":"two"}\n',
          path
        )
        const again = yield* said(run([input({ root: "out", path, format: "ndjson" }), shown]))
        assert.deepStrictEqual(again, { error: undefined, lines: ["one", "two"] })
      }
      assert.strictEqual(statSync(join(out, "a/b.ndjson")).mode & 0o777, 0o666 & ~process.umask())
      assert.deepStrictEqual(
        filesIn(out).map((path) => path.slice(out.length + 1)),
        ["a/b.ndjson", "b.lines.gz", "c.lines.zst"]
      )
    })
  )

  it.live("that is the data area is what an input without a root reads when the configuration has no such file", () =>
    Effect.gen(function* () {
      const { conf, data, run, said } = yield* withRoots
      const path = "made/words.ndjson"
      assert.isUndefined((yield* said(run([words, output({ path })]))).error)
      assert.isTrue(existsSync(join(data, path)))
      const both = ["one", "two"]
      for (const found of [{ path }, { path: "made/*.ndjson" }, { path, root: "data" }]) {
        assert.deepStrictEqual(yield* said(run([input(found), shown])), { error: undefined, lines: both })
      }
      mkdirSync(join(conf, "made"))
      writeFileSync(join(conf, path), '{"message":"of the configuration"}\n')
      assert.deepStrictEqual((yield* said(run([input({ path }), shown]))).lines, ["of the configuration"])
      assert.deepStrictEqual((yield* said(run([input({ path, root: "data" }), shown]))).lines, both)
    })
  )

  it.live("is not left, whatever a path or a link says, and says to what a path is relative", () =>
    Effect.gen(function* () {
      const { root, logs, out, run, said } = yield* withRoots
      writeFileSync(join(root, "secret.log"), "secret\n")
      writeFileSync(join(logs, "access.log"), "a\n")
      symlinkSync("../secret.log", join(logs, "link.log"))
      symlinkSync("..", join(logs, "up"))
      symlinkSync(root, join(out, "away"))
      const away = "is a link, or lies behind one, that leads out of the root"
      const cases = [
        [{ path: "link.log" }, `"link.log" ${away} "logs"`],
        [{ path: "up/secret.log" }, `"up/secret.log" ${away} "logs"`],
        [{ path: "l*.log" }, `"link.log" ${away} "logs"`],
        [{ path: "../secret.log" }, 'the path must not contain ".."'],
        [{ path: join(root, "secret.log") }, /the path must be relative: .* a root, .* FLOW_ROOTS/],
        [{ path: ".flow/locks/x" }, 'The folder ".flow" is the gateway\'s own'],
        [{ path: "acess.log" }, 'The file "acess.log" does not exist in the root "logs"; did you mean "access.log"?'],
        [
          { root: undefined, path: "access.log" },
          /in the tenant's configuration folder or its data area; .*: logs, out$/
        ],
        [{ root: "log", path: "a" }, 'There is no root "log": there is logs, out, conf, data']
      ] as const
      for (const [given, expected] of cases) {
        const { error = "" } = yield* said(run([input({ root: "logs", ...given }), shown]))
        if (typeof expected === "string") assert.strictEqual(error, `file_input: ${expected}`)
        else assert.match(error, expected)
        assert.notInclude(error.replace(String(given.path), ""), root)
      }
      const written = yield* said(run([words, output({ root: "out", path: "away/new.log" })]))
      assert.match(written.error ?? "", /"away" is a link, which could lead out of the root "out"/)
      const readOnly = yield* said(run([words, output({ root: "logs", path: "new.log" })]))
      assert.strictEqual(readOnly.error, 'file_output: Nothing can be written in the root "logs"')
      assert.isFalse(existsSync(join(root, "new.log")) || existsSync(join(logs, "new.log")))
      const gone = { roots: { logs: { path: join(root, "gone"), writable: true } } }
      const missing = 'the folder of the root "logs" does not exist on the gateway\'s machine'
      for (const dag of [
        [input({ root: "logs", path: "*.log" }), shown],
        [words, output({ root: "logs", path: "a" })]
      ]) {
        const { error } = yield* said(run(dag as [DagNode, DagNode], gone))
        assert.include(error?.toLowerCase(), missing)
      }
      assert.isFalse(existsSync(join(root, "gone")))
    })
  )

  it.live("keeps the places of followed and appended files when the run is killed", () =>
    Effect.gen(function* () {
      const { logs, out, root, run } = yield* withRoots
      const log = join(logs, "a.log")
      writeFileSync(log, "1\n2\n")
      const dag = [
        input({ root: "logs", path: "*.log", follow: true }),
        shown,
        node("file_output", { root: "out", path: "all.ndjson", append: true }, "file_input")
      ] as const
      const given = settings(root, { entry })
      const first = yield* running(given, run(dag))
      yield* Effect.promise(() =>
        eventually(
          "what the test waits for",
          () => Object.keys(first.positions()).length > 0 && first.lines().length === 2
        )
      )
      const positions = first.positions()
      process.kill(first.pid(), "SIGKILL")
      yield* first.over
      appendFileSync(log, "3\n")
      const second = yield* running(given, run(dag, { positions }))
      yield* Effect.promise(() => eventually("what the test waits for", () => second.lines().length > 0))
      assert.deepStrictEqual(second.lines(), ["3"])
      yield* Effect.promise(() =>
        eventually("what the test waits for", () => readFileSync(join(out, "all.ndjson"), "utf8").includes('"3"'))
      )
      yield* second.stop
      assert.deepStrictEqual(readFileSync(join(out, "all.ndjson"), "utf8").match(/\d/g), ["1", "2", "3"])
    })
  )
})
