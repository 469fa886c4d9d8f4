import { execFile } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { packagePath } from "../../src/drivers/Package.ts"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { members } from "../cluster/members.ts"
import { held } from "../idempotency/held.ts"
import { fences, read } from "../support/documents.ts"
import { freshDatabase } from "../support/postgres.ts"
import { until } from "../support/process.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { formOf, generator } from "../support/runs.ts"

interface Printed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `flow-gateway audit verify` as an operator does. */
const verify = (variables: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<Printed>((done) => {
        const env: NodeJS.ProcessEnv = { ...variables }
        for (const name of ["PATH", "HOME", "NODE_COMPILE_CACHE"])
          if (name in process.env) env[name] = process.env[name]
        const command = [packagePath("bin/flow-gateway.js"), "audit", "verify", ...flags]
        execFile(process.execPath, command, { env }, (error, stdout, stderr) =>
          done({ code: error === null ? 0 : Number(error.code), stdout, stderr })
        )
      })
  )

/** Runs the program of the page on these lines. */
const verifiedByPage = (lines: string) =>
  Effect.promise(
    () =>
      new Promise<Printed>((done) => {
        const program = fences(read("docs/audit.md")).find(({ language }) => language === "python")!.text
        const child = execFile("python3", ["-c", program], (error, stdout, stderr) =>
          done({ code: error === null ? 0 : Number(error.code), stdout, stderr })
        )
        child.stdin?.end(lines)
      })
  )

const save = (url: string, key?: string) =>
  Effect.promise(async () => {
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key }
    const body = formOf(generator(1, 10))
    const answer = await fetch(`${url}/v1/mytenant/flowline/save`, { method: "POST", headers, body })
    const { id } = (await answer.json()) as { readonly id?: string }
    return { status: answer.status, id }
  })

const rows = (url: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/v1/mytenant/audit`)
    return (await answer.json()) as ReadonlyArray<AuditEntry>
  })

it.live("two gateways on one database write one chain, and a kill leaves no change without its row", () =>
  Effect.gen(function* () {
    const cluster = yield* members
    const database = yield* freshDatabase
    const { sql, count, during } = yield* held(database)
    const variables = { FLOW_DATABASE_URL: Redacted.value(database) }
    const start = () => cluster.start(variables)
    const [one, two] = yield* Effect.promise(() => Promise.all([start(), start()]))
    // On a busy machine the database may be late for some of them.
    const both = Array.from({ length: 40 }, (_, n) =>
      until(save([one, two][n % 2]!.url), ({ status }) => status === 200)
    )
    const saved = yield* Effect.all(both, { concurrency: 8 })
    const targets = (yield* rows(two.url)).filter(({ outcome }) => outcome === "done").map(({ target }) => target)
    expect(targets).toEqual(expect.arrayContaining(saved.map(({ id }) => id)))
    const flowlines = yield* count("flowlines")

    const killed = (gateway: Running) => Effect.promise(() => gateway.kill("SIGKILL"))
    const consistent = Effect.gen(function* () {
      const audited = yield* sql<{
        target: string
      }>`select target from audit where action = 'flowlines.save' order by 1`
      const stored = yield* sql<{ target: string }>`select id as target from flowlines order by 1`
      expect(audited).toEqual(stored)
    })
    // Killed after the flowline was written, and before its row was: neither exists.
    yield* during("answer", Effect.forkDetach(save(one.url, "before")), () => killed(one))
    expect(yield* count("flowlines")).toBe(flowlines)
    yield* consistent
    // Killed during the commit, which PostgreSQL completes: both exist.
    const three = yield* Effect.promise(start)
    yield* during("commit", Effect.forkDetach(save(two.url, "during")), () => killed(two))
    expect(yield* save(three.url, "during")).toMatchObject({ status: 200 })
    expect(yield* count("flowlines")).toBe(flowlines + 1)
    yield* consistent
    const whole = yield* verify(variables)
    expect(whole).toMatchObject({ code: 0, stderr: "" })
    expect(whole.stdout).toMatch(/^mytenant: (\d+) rows, 1 \(.*\) to \1 \(.*\), head [0-9a-f]{64}\n1 chain whole\n$/)

    const lines = yield* Effect.promise(async () => {
      const headers = { accept: "application/x-ndjson" }
      return (await fetch(`${three.url}/v1/mytenant/audit`, { headers })).text()
    })
    expect(yield* verifiedByPage(lines)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whole up to \d+ /) })
    const forged = lines.replace(/"target":"./, '"target":"?')
    expect(yield* verifiedByPage(forged)).toMatchObject({ code: 1, stderr: "row 1 was changed\n" })
    const shortened = lines.split("\n").toSpliced(4, 1).join("\n")
    expect(yield* verifiedByPage(shortened)).toMatchObject({ code: 1, stderr: "row 6 does not follow row 4\n" })

    // A head that was noted is found again, also after further rows; and nothing that was replaced is.
    const heads = yield* verify(variables, "--heads")
    const [, seq, head = ""] = /^mytenant (\d+) ([0-9a-f]{64})\n$/.exec(heads.stdout) ?? []
    expect(Number(seq)).toBeGreaterThan(flowlines)
    yield* save(three.url)
    expect(yield* verify(variables, "--since", head)).toMatchObject({ code: 0 })
    const unknown = yield* verify(variables, "--since", "0f".repeat(32), "--tenant", "mytenant")
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("no row has the hash 0f0f") })
    yield* sql`update audit set principal = 'user:mallory' where tenant = 'mytenant' and seq = 17`
    const broken = yield* verify(variables)
    expect(broken).toMatchObject({ code: 1, stderr: "flow-gateway: 1 chain of 1 broken\n" })
    expect(broken.stdout).toBe("mytenant: BROKEN at row 17: row 17 was changed: its hash differs\n")
  })
)

it.live("the audit of the embedded database is verified while its gateway runs, and when none does", () =>
  Effect.gen(function* () {
    const here = yield* site({ embedded: true })
    const gateway = yield* Effect.promise(() => here.start())
    yield* save(gateway.url)
    const variables = { FLOW_DATA: here.data }
    const beside = yield* verify(variables)
    expect(beside).toMatchObject({ code: 0, stdout: expect.stringMatching(/^mytenant: 1 rows?, 1 /), stderr: "" })
    expect((yield* save(gateway.url)).status).toBe(200)
    expect(yield* Effect.promise(() => gateway.kill("SIGTERM"))).toMatchObject({ code: 0 })
    expect(yield* verify(variables)).toMatchObject({ code: 0, stdout: expect.stringContaining("mytenant: 2 rows") })
    const nowhere = yield* verify({ FLOW_DATA: join(here.data, "none") })
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no database in ") })
    const wrong = yield* verify(variables, "--since", "abc")
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("--since abc is no hash") })
    const away = yield* verify({ FLOW_DATABASE_URL: "postgres://nobody:secret@127.0.0.1:1/none" })
    expect(away.code).toBe(1)
    expect(away.stdout + away.stderr).not.toContain("secret")
  })
)
