import { existsSync } from "node:fs"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { Database } from "../../src/drivers/duckdb/Database.ts"
import { statementFaults } from "../../src/drivers/duckdb/Statement.ts"
import { program } from "../../src/drivers/Programs.ts"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { Scratch } from "../../src/run/analytics/Scratch.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { ended, engine, filesIn, follow, group, places, settings, spec } from "../engine/support.ts"
import { eventually } from "../support/process.ts"
import { analytics, node, run, select, within } from "./support.ts"

/** Ways out of the query that were tried; each must be refused before anything runs. */
const attacks = [
  "SELECT * FROM read_text('/etc/passwd')",
  "SELECT * FROM read_blob('/etc/passwd')",
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM read_json('/proc/self/environ')",
  "SELECT * FROM sniff_csv('/etc/passwd')",
  "SELECT * FROM parquet_metadata('/etc/passwd')",
  "SELECT * FROM glob('/**')",
  "SELECT * FROM '/etc/passwd'",
  "FROM '../othertenant/patterns/custom'",
  "FROM 'https://example.com/a.parquet'",
  'FROM "/root/.ssh/id_rsa"',
  "SELECT * FROM rows, LATERAL (SELECT * FROM read_text('/etc/passwd'))",
  "WITH x AS (SELECT * FROM glob('/*')) SELECT * FROM x",
  "SELECT (SELECT content FROM read_text('/etc/passwd'))",
  "SELECT * FROM rows WHERE a IN (SELECT size FROM read_text('/etc/hosts'))",
  "SELECT * FROM query('SELECT * FROM glob(''/*'')')",
  "SELECT * FROM query_table('/etc/passwd')",
  "SELECT * FROM json_execute_serialized_sql('{}')",
  "SELECT getenv('HOME')",
  "SELECT current_setting('temp_directory')",
  "SELECT system.main.current_setting('allowed_paths')",
  "SELECT json_serialize_plan('SELECT current_setting(''allowed_paths'')', optimize := true)",
  "SELECT current_query()",
  "SELECT * FROM duckdb_settings()",
  "SELECT * FROM duckdb_secrets()",
  "SELECT * FROM duckdb_views()",
  "SELECT * FROM pg_settings",
  "SELECT * FROM information_schema.tables",
  "SELECT * FROM sqlite_master",
  "SELECT * FROM flow.r1",
  "SELECT * FROM memory.flow.r1",
  "SELECT * FROM (SELECT * FROM pg_settings) WHERE EXISTS (WITH pg_settings AS (SELECT 1) SELECT 1)",
  "WITH a AS (FROM pg_settings), pg_settings AS (SELECT 1) FROM a",
  "WITH pg_settings AS (FROM pg_settings) FROM pg_settings",
  "WITH RECURSIVE pg_tables AS (SELECT tablename FROM pg_tables UNION SELECT tablename FROM pg_tables) FROM pg_tables",
  'WITH "duc\u212adb_tables" AS (SELECT 1) FROM duckdb_tables',
  "SHOW ALL TABLES",
  "SELECT write_log('x')",
  "SELECT 1; COPY (SELECT 1) TO '/tmp/x'",
  "COPY (SELECT 1) TO '/tmp/flow-attack'",
  "EXPORT DATABASE '/tmp/flow-attack'",
  "ATTACH '/tmp/flow-attack.db' AS x",
  "INSTALL httpfs",
  "LOAD httpfs",
  "SET enable_external_access = true",
  "RESET lock_configuration",
  "PRAGMA database_list",
  "CALL pragma_version()",
  "CREATE TABLE x AS SELECT 1",
  "CREATE MACRO f(x) AS x",
  "INSERT INTO rows VALUES (1)",
  "DETACH memory",
  "CHECKPOINT",
  "PREPARE p AS SELECT 1",
  "EXPLAIN ANALYZE SELECT 1",
  "SELECT $1"
]

const refusal =
  /^(There is no view|The function "\w+" is not available|Only a query is allowed|One statement is allowed|Only inputs can be described|Parameters are not supported|SQL: syntax error)/

describe("a query", () => {
  it.live("reaches nothing but its inputs", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      yield* Effect.promise(async () => {
        const scratch = new Scratch(join(root, "scratch"), 1e9)
        await scratch.make()
        const database = await Database.open({ memoryMib: 100, threads: 1, spillBytes: 1e8, scratch: scratch.folder })
        await database.close([], scratch.folder)
        for (const statement of attacks) {
          const [fault] = statementFaults(await database.serialize(statement), new Set(["rows", "rows_out"]))
          assert.match(fault?.detail ?? "is allowed", refusal, statement)
        }
        database.dispose()
      })
      // Whole runs refuse what is at fault; opening a database for each statement would take long.
      for (const statement of attacks.filter((_, index) => index % 20 === 0)) {
        const { error, lines } = yield* within(select(statement))
        const [, reason] = /^query: (.*)$/s.exec(error ?? "") ?? []
        assert.match(reason ?? `${error} printed ${lines.join()}`, refusal, statement)
      }
    })
  )

  it.live("does not see the inputs and results of other nodes", () =>
    Effect.gen(function* () {
      const flowline = analytics([
        node("secret", "dataset_generator", { rows: [{ s: "hidden" }] }),
        node("first", "sql", { statement: "FROM secret" }, ["secret"]),
        node("open", "dataset_generator", { rows: [{ s: "open" }] }),
        node("second", "sql", { statement: "FROM secret" }, ["open"]),
        node("shown", "show", {}, ["second"]),
        node("other", "show", {}, ["first"])
      ])
      const { error } = yield* within(flowline)
      assert.strictEqual(error, 'second: There is no view "secret": there is "open_out", "open" (line 1, column 6)')
    })
  )
})

describe("the database itself", () => {
  it.live("refuses files and settings even to a query that was not looked at", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      yield* Effect.promise(async () => {
        const [inside, outside] = [join(conf, "in.csv"), join(root, "outside.csv")]
        await writeFile(inside, "a\n1\n")
        await writeFile(outside, "a\n2\n")
        const scratch = new Scratch(join(root, "scratch"), 1e9)
        await scratch.make()
        await symlink(outside, join(conf, "link.csv"))
        const limits = { memoryMib: 100, threads: 1, spillBytes: 1e8, scratch: scratch.folder }
        const database = await Database.open(limits)
        await database.close([inside], scratch.folder)
        assert.strictEqual(await database.value(`SELECT a FROM '${inside}'`), 1)
        const refused = async (statement: string) => {
          const reason = await database.run(statement).then(() => "done", String)
          assert.match(reason, /disabled|locked|not allowed|Cannot|does not exist/i, statement)
        }
        await refused(`SELECT * FROM '${outside}'`)
        await refused(`SELECT * FROM read_text('${join(conf, "link.csv")}')`)
        await refused(`SELECT * FROM read_text('${join(conf, "..", "..", "..", "outside.csv")}')`)
        await refused("SELECT * FROM read_text('/etc/passwd')")
        await refused("SELECT * FROM glob('/etc/*')")
        await refused(`COPY (SELECT 1) TO '${join(root, "new.csv")}'`)
        await refused(`ATTACH '${join(root, "new.db")}' AS x`)
        await refused("SET enable_external_access = true")
        await refused("SET memory_limit = '10GB'")
        await refused("SET allowed_directories = ['/']")
        await refused("INSTALL httpfs")
        await refused("LOAD httpfs")
        await refused("SELECT getenv('HOME')")
        database.dispose()
        assert.isFalse(existsSync(join(root, "new.csv")) || existsSync(join(root, "new.db")))
      })
    })
  )
})

describe("a file input", () => {
  it.live("reads nothing outside of the tenant, links included, and tells no path of the machine", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      yield* Effect.promise(async () => {
        await writeFile(join(root, "conf", "secret.csv"), "a\nsecret\n")
        await mkdir(join(root, "conf", "tenants", "other"))
        await writeFile(join(root, "conf", "tenants", "other", "b.csv"), "a\nother\n")
        await symlink("../../secret.csv", join(conf, "link.csv"))
        await symlink("../other", join(conf, "folder"))
        await writeFile(join(conf, "bad.parquet"), "no parquet at all, but long enough to be one")
      })
      const entry = program("run")
      const attempt = (path: string) =>
        Effect.map(
          follow(spec(analytics([node("in", "file_input", { path }), node("shown", "show", {}, ["in"])]))).pipe(
            Effect.provide(engine(settings(root, { entry })))
          ),
          (messages) => ended(messages).error
        )
      for (const path of ["link.csv", "folder/b.csv"]) {
        const outside = "is a link, or lies behind one, that leads out of the tenant's configuration folder"
        assert.strictEqual(yield* attempt(path), `in: "${path}" ${outside}`)
      }
      assert.strictEqual(yield* attempt("../other/b.csv"), 'in: the path must not contain ".."')
      const bad = yield* attempt("bad.parquet")
      assert.match(bad ?? "", /^in: bad\.parquet: /)
      assert.notInclude(bad, root)
      assert.notInclude(bad, "/proc")
    })
  )
})

describe("limits", () => {
  it.live("let a query that is larger than its memory go to disk", () =>
    Effect.gen(function* () {
      const flowline = analytics(
        [
          node("rows", "dataset_generator", { rows: [{ n: 1 }] }),
          node(
            "sorted",
            "sql",
            {
              statement: "SELECT i, md5(i::VARCHAR) AS m FROM range(1500000) t(i) ORDER BY m LIMIT 1200000"
            },
            ["rows"]
          ),
          node("top", "sql", { statement: "SELECT count(*) AS n FROM sorted" }, ["sorted"]),
          node("shown", "show", { format: "json" }, ["top"])
        ],
        { memory_mib: 100, threads: 1 }
      )
      const { error, lines } = yield* run(flowline)
      assert.deepStrictEqual([error, lines], [undefined, ['{"n":1200000}']])
    })
  )

  it.live("end a query that cannot, by the limit's name", () =>
    Effect.gen(function* () {
      const flowline = analytics(
        [
          node("rows", "dataset_generator", { rows: [{ n: 1 }] }),
          node("list", "sql", { statement: "SELECT list(range) AS l FROM range(200000000)" }, ["rows"]),
          node("shown", "show", {}, ["list"])
        ],
        { memory_mib: 100, threads: 1 }
      )
      const { error, component } = yield* run(flowline)
      assert.strictEqual(
        error,
        "list: The query needs more than the memory limit of 100 MiB (memory_mib in the flowline's settings)"
      )
      assert.strictEqual(component, "list")
    })
  )

  it.live("end a file that grows over the limit of a run", () =>
    Effect.gen(function* () {
      const flowline = analytics([
        node("rows", "dataset_generator", { rows: [{ n: 1 }] }),
        node("many", "sql", { statement: "SELECT md5(i::VARCHAR) AS m FROM range(1000000000) t(i)" }, ["rows"]),
        node("file", "file_output", { path: "big.csv" }, ["many"])
      ])
      const { error } = yield* run(flowline, {}, { fileBytes: 4_000_000 })
      assert.match(error ?? "", /^many: The file "big.csv" exceeds the size limit of a run \(4000000 bytes\)$/)
    })
  )

  it.live("end a query at the time limit", () =>
    Effect.gen(function* () {
      const flowline = analytics(
        [
          node("rows", "dataset_generator", { rows: [{ n: 1 }] }),
          node(
            "slow",
            "sql",
            { statement: "SELECT count(*) FROM range(100000000) a, range(1000000) b WHERE hash(a.range, b.range) = 1" },
            ["rows"]
          ),
          node("shown", "show", {}, ["slow"])
        ],
        { timeout_seconds: 1, threads: 1 }
      )
      const { error } = yield* run(flowline)
      assert.strictEqual(error, "The run was stopped at its time limit of 1 seconds")
    })
  )

  it.live("let a query be cancelled at once, and leave nothing", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const entry = program("run")
      const statement = "SELECT md5(a.range::VARCHAR) AS m FROM range(100000000) a, range(1000) b ORDER BY m"
      const flowline = analytics(
        [
          node("rows", "dataset_generator", { rows: [{ n: 1 }] }),
          node("endless", "sql", { statement }, ["rows"]),
          node("file", "file_output", { path: "a.csv" }, ["endless"])
        ],
        { memory_mib: 100, threads: 1 }
      )
      yield* Effect.gen(function* () {
        const { run } = yield* Engine
        const started = yield* Deferred.make<number>()
        const see = (message: RunMessage) =>
          message._tag === "Started" ? Deferred.succeed(started, message.pid) : Effect.void
        const fiber = yield* Effect.forkChild(Stream.runForEach(run(spec(flowline)), see))
        const pid = yield* Deferred.await(started)
        yield* Effect.promise(() =>
          eventually("the query writes to disk", () =>
            filesIn(join(root, "temp", "runs")).some((it) => it.includes("spill"))
          )
        )
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(group(pid), [])
      }).pipe(Effect.provide(engine(settings(root, { entry }))))
      assert.deepStrictEqual(
        ["data", join("temp", "runs")].flatMap((name) => filesIn(join(root, name))),
        []
      )
    })
  )
})
