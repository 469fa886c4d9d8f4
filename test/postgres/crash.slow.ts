import { spawn } from "node:child_process"
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { startEmbedded } from "../../src/layers/postgres/embedded/Embedded.ts"
import { signal, viewProcess } from "../../src/layers/postgres/processes.ts"
import { temporaryCluster } from "../support/postgresServer.ts"
import { eventually, runFile } from "../support/process.ts"
import { childrenOf } from "./gateways.ts"

const gateway = new URL("./gateway.ts", import.meta.url)

const postmasterOf = (folder: string) =>
  Number(readFileSync(join(folder, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0])

/** For each test: on a busy machine each waits for its share of it. */
const patience = 240_000

/** Runs a gateway that writes, and kills it after a number of acknowledged rows that differs in each round. */
const killWhileWriting = async (folder: string, round: number, killToo: (pid: number) => void) => {
  const running = runFile(gateway, [folder, "insert"])
  await running.line("ready")
  const enough = 60 + Math.floor(Math.random() * 200)
  await eventually("rows are acknowledged", () => running.lines.length > enough, patience)
  killToo(running.process.pid!)
  running.process.kill("SIGKILL")
  await running.exit
  const acknowledged = running.lines.filter((line) => /^\d+$/.test(line)).map(Number)
  expect(acknowledged.length, `round ${round}`).toBeGreaterThan(50)
  return acknowledged
}

const rows = (folder: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* startEmbedded({ folder })
      const sql = yield* PgClient.makeClient({ url, connectTimeout: patience })
      const found = yield* sql<{ id: number }>`SELECT id::int AS id FROM ledger`
      return new Set(found.map(({ id }) => id))
    })
  ).pipe(Effect.provide(Reactivity.layer))

describe.runIf(process.platform === "linux").concurrent("a gateway killed while it writes", () => {
  it.live(
    "has lost no acknowledged row after the next starts",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const ledger = yield* Effect.promise(() => killWhileWriting(folder, 0, () => undefined))
        const kept = yield* rows(folder)
        expect(ledger.filter((id) => !kept.has(id))).toEqual([])
      }),
    patience
  )

  it.live(
    "together with its server, neither",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const ledger: Array<number> = []
        for (let round = 0; round < 2; round++) {
          const killServer = () => signal(postmasterOf(folder), "SIGKILL")
          ledger.push(...(yield* Effect.promise(() => killWhileWriting(folder, round, killServer))))
        }
        const kept = yield* rows(folder)
        expect(ledger.filter((id) => !kept.has(id))).toEqual([])
      }),
    patience
  )

  it.live(
    "leaves a server that the next start finds and stops",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        // Without the shell that would end the server along with the gateway.
        const orphan = (pid: number) => {
          for (const child of childrenOf(pid)) if (child !== postmasterOf(folder)) signal(child, "SIGKILL")
        }
        const ledger = yield* Effect.promise(() => killWhileWriting(folder, 0, orphan))
        const left = postmasterOf(folder)
        expect(viewProcess(left).state).toBe("running")
        const kept = yield* rows(folder)
        expect(viewProcess(left).state).not.toBe("running")
        expect(ledger.filter((id) => !kept.has(id))).toEqual([])
      }),
    patience
  )

  it.live(
    "leaves a frozen server that the next start stops all the same",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        let left = 0
        const freeze = () => {
          left = postmasterOf(folder)
          signal(left, "SIGSTOP")
        }
        const ledger = yield* Effect.promise(() => killWhileWriting(folder, 0, freeze))
        const kept = yield* rows(folder)
        expect(viewProcess(left).state).not.toBe("running")
        expect(ledger.filter((id) => !kept.has(id))).toEqual([])
      }),
    patience
  )

  it.live(
    "together with its server, while it makes an unlogged table, is followed by one that starts",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const running = runFile(gateway, [folder, "hold"])
        const [, port] = (yield* Effect.promise(() => running.line("ready"))).split(" ")
        const password = readFileSync(join(folder, "postgres", "password"), "utf8")
        const url = Redacted.make(`postgres://flow:${password}@127.0.0.1:${port}/postgres`)
        const one = yield* PgClient.makeClient({ url, connectTimeout: patience })
        const other = yield* PgClient.makeClient({ url, connectTimeout: patience })
        const server = postmasterOf(folder)
        const killed = Effect.gen(function* () {
          yield* one`CREATE UNLOGGED TABLE half (id bigint)`
          // The commit of another connection writes the log up to here.
          yield* other`CREATE TABLE whole (id bigint)`
          const backends = childrenOf(server)
          for (const pid of [running.process.pid!, server]) signal(pid, "SIGKILL")
          const isOver = () => ![server, ...backends].some((pid) => viewProcess(pid).state === "running")
          yield* Effect.promise(() => Promise.all([running.exit, eventually("the server has ended", isOver)]))
        })
        yield* Effect.ignore(one.withTransaction(killed))
        yield* startEmbedded({ folder })
        const log = readFileSync(join(folder, "postgres", "server.log"), "utf8")
        expect(log).toContain("File exists")
      }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
    patience
  )

  it.live(
    "is followed by one that waits for the rest of its server, longer than for a server that still runs",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const files = join(folder, "postgres", "data")
        const { gid, uid } = statSync(files)
        // A zombie process, and one of its children, which is slow to end.
        const parent = spawn("/bin/sh", ["-c", "sleep 1 & echo $!; exec sleep 600"])
        yield* Effect.addFinalizer(() => Effect.sync(() => parent.kill("SIGKILL")))
        const ended = yield* Effect.promise(
          () => new Promise<number>((done) => parent.stdout.once("data", (pid: Buffer) => done(Number(pid))))
        )
        yield* Effect.promise(() => eventually("it has ended", () => viewProcess(ended).state === "zombie"))
        writeFileSync(join(files, "postmaster.pid"), `${ended}\n${files}\n0\n1\n\n127.0.0.1\n0 0\nready   \n`)
        chownSync(join(files, "postmaster.pid"), uid, gid)
        const rest = spawn("sleep", ["14"], { stdio: "ignore", cwd: files, uid, gid })
        yield* Effect.addFinalizer(() => Effect.sync(() => rest.kill("SIGKILL")))
        yield* Effect.scoped(startEmbedded({ folder }))
        expect(rest.exitCode).toBe(0)
      }).pipe(Effect.scoped),
    patience
  )
})
