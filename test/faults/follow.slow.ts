import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { freshDatabase } from "../support/postgres.ts"
import { eventually } from "../support/process.ts"
import { isAlive, runnersOf, site, temporary } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"

/** Where the log is and where its lines go: in the tenant's own folders, or in roots. */
const kinds = [
  { kind: "of the tenant", input: "path: logs/a.log", output: "" },
  { kind: "of roots", input: "root: logs, path: a.log", output: "root: out, " }
] as const

const flowlineOf = ({ input, output }: (typeof kinds)[number]) => `
runtime: stream
dag:
  - { type: file_input, settings: { ${input}, follow: true }, publish: [ { stream: lines } ] }
  - type: file_output
    settings: { ${output}path: all.log, append: true }
    subscribe: [ { component: file_input, stream: lines } ]
`

const Saved = Schema.Struct({
  files: Schema.Array(Schema.Struct({ inode: Schema.String, offset: Schema.Finite }))
})
const Rows = Schema.Array(Schema.Struct({ value: Saved }))

const lineOf = (number: number) => `line ${String(number).padStart(8, "0")}`
const lineBytes = lineOf(0).length + 1

/** A log that is written line after line and rotated; it remembers which lines each file has. */
const writer = (folder: string) => {
  const path = join(folder, "a.log")
  const first = new Map<string, number>()
  let written = 0
  let rotated = 0
  const write = (count: number, to = path) => {
    const from = written
    written += count
    appendFileSync(to, Array.from({ length: count }, (_, at) => `${lineOf(from + at)}\n`).join(""))
    const inode = String(statSync(to, { bigint: true }).ino)
    if (!first.has(inode)) first.set(inode, from)
  }
  return {
    write,
    /** The one who writes learns a little late that the file was moved. */
    rotate: () => {
      const moved = `${path}.${++rotated}`
      renameSync(path, moved)
      write(300, moved)
      write(300)
    },
    count: () => written,
    /** The lines of a saved position. */
    upTo: ({ files }: typeof Saved.Type) =>
      files.flatMap(({ inode, offset }) => {
        const from = first.get(inode)
        return from === undefined ? [] : Array.from({ length: offset / lineBytes }, (_, at) => lineOf(from + at))
      })
  }
}

const linesOf = (path: string): ReadonlyArray<string> =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []

const countOf = (lines: ReadonlyArray<string>) => {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

describe("a gateway that is killed while a run follows a log", () => {
  it.live.each(kinds)(
    "loses no line, rotated or not, and has none twice in a file that it appends to: files $kind",
    (kind) =>
      Effect.gen(function* () {
        const conf = yield* temporary
        const results = yield* temporary
        const logs = join(conf, "tenants", "mytenant", "logs")
        mkdirSync(logs, { recursive: true })
        const database = yield* freshDatabase
        const sql = yield* Effect.provide(PgClient.makeClient({ url: database }), Reactivity.layer)
        const isInRoots = kind.output !== ""
        const elsewhere = yield* temporary
        const roots: Readonly<Record<string, string>> = isInRoots
          ? { FLOW_ROOTS: `logs=${elsewhere}:ro,out=${results}:rw` }
          : {}
        const variables = { FLOW_CONF: conf, FLOW_DATABASE_URL: Redacted.value(database), ...roots }
        const here = yield* site({ variables })
        const out = join(isInRoots ? results : join(here.data, "blobs", "mytenant", "data"), "all.log")
        const log = writer(isInRoots ? elsewhere : logs)
        /** The lines that a new attempt would not read again. */
        const saved = Effect.map(sql`select value from positions`, (rows) => {
          const [row] = Schema.decodeUnknownSync(Rows)(rows)
          return row === undefined ? [] : log.upTo(row.value)
        })
        const until = (what: string, holds: Effect.Effect<boolean, unknown>) =>
          Effect.promise(() => eventually(what, () => Effect.runPromise(Effect.orDie(holds))))

        log.write(2000)
        let gateway = yield* Effect.promise(() => here.start())
        const id = yield* Effect.promise(() => tenantOf(gateway.url).run(flowlineOf(kind)))
        // A third death would leave the execution lost.
        for (let death = 0; death < 2; death++) {
          const before = (yield* saved).length
          log.write(2000)
          yield* until(
            "a later position",
            Effect.map(saved, (lines) => lines.length > before)
          )
          if (death > 0) log.rotate()
          log.write(1000)
          const runners = runnersOf(gateway.pid)
          yield* Effect.promise(() => gateway.kill("SIGKILL"))
          yield* Effect.promise(() => eventually("the run is gone", () => !runners.some(isAlive)))
          if (death === 0) log.rotate()
          const kept = yield* saved
          const counted = countOf(linesOf(out))
          assert.deepStrictEqual(
            kept.filter((line) => !counted.has(line)),
            []
          )
          gateway = yield* Effect.promise(() => here.start())
          yield* until(
            "every line",
            Effect.sync(() => new Set(linesOf(out)).size === log.count())
          )
          log.write(10)
        }
        yield* until(
          "the last lines",
          Effect.sync(() => new Set(linesOf(out)).size === log.count())
        )
        assert.deepStrictEqual(
          [...linesOf(out)].sort(),
          Array.from({ length: log.count() }, (_, at) => lineOf(at))
        )
        const { state } = yield* Effect.promise(() => tenantOf(gateway.url).detail(id))
        assert.strictEqual(state, "RUNNING")
      })
  )
})
