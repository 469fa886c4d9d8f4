import { spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { type EmbeddedPostgres, startEmbedded } from "../../src/layers/postgres/Embedded.ts"
import { viewProcess } from "../../src/layers/postgres/processes.ts"
import { temporaryFolder } from "../support/postgresServer.ts"
import { eventually, type Running, runFile } from "../support/process.ts"

const gateway = new URL("./gateway.ts", import.meta.url)

const query = (server: EmbeddedPostgres, text: string) =>
  Effect.scoped(Effect.flatMap(PgClient.makeClient({ url: server.url }), (sql) => sql.unsafe(text))).pipe(
    Effect.provide(Reactivity.layer)
  )

const end = (running: Running) => {
  running.process.kill("SIGTERM")
  return running.exit
}

const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(self, (value) => ({ value, millis: performance.now() - began }))
  })

describe("startEmbedded", () => {
  it.live("makes a cluster, keeps its rows over a restart and stops with its scope", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const pid = yield* Effect.scoped(
        Effect.gen(function* () {
          const { value: server, millis } = yield* timed(startEmbedded({ folder }))
          expect(millis).toBeLessThan(10_000)
          yield* query(server, "CREATE TABLE kept AS SELECT 42 AS answer")
          return server.pid()!
        })
      )
      expect(viewProcess(pid).state).not.toBe("running")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { value: server, millis } = yield* timed(startEmbedded({ folder }))
          expect(millis).toBeLessThan(2000)
          expect(yield* query(server, "SELECT answer FROM kept")).toEqual([{ answer: 42 }])
        })
      )
    })
  )

  it.live("listens on the loopback alone, behind a password in a closed file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* startEmbedded({ folder })
      expect(yield* query(server, "SHOW listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }])
      expect(yield* query(server, "SHOW unix_socket_directories")).toEqual([{ unix_socket_directories: "" }])
      expect(statSync(join(folder, "postgres", "password")).mode & 0o777).toBe(0o600)
      expect(statSync(join(folder, "postgres", "data")).mode & 0o777).toBe(0o700)
      const stranger = new URL(`postgres://flow:wrong@127.0.0.1:${server.port}/postgres`)
      const refused = yield* Effect.flip(
        Effect.scoped(PgClient.makeClient({ host: "127.0.0.1", port: server.port, username: stranger.username }))
      ).pipe(Effect.provide(Reactivity.layer))
      expect(refused.reason._tag).toBe("AuthenticationError")
    })
  )

  it.live("clears what a killed first start has left half-made", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "postgres", "making-0123"), { recursive: true, mode: 0o711 })
      writeFileSync(join(folder, "postgres", "making-0123", "PG_VERSION"), "18")
      chmodSync(join(folder, "postgres"), 0o711)
      const server = yield* startEmbedded({ folder })
      expect(yield* query(server, "SELECT 1 AS one")).toEqual([{ one: 1 }])
      expect(readdirSync(join(folder, "postgres")).filter((name) => name.startsWith("making"))).toEqual([])
    })
  )

  it.live("refuses a second gateway, naming folder and process", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const first = runFile(gateway, [folder, "hold"])
      yield* Effect.addFinalizer(() => Effect.promise(() => end(first)))
      yield* Effect.promise(() => first.line("ready"))
      const refused = yield* Effect.flip(Effect.scoped(startEmbedded({ folder })))
      expect(refused._tag).toBe("FolderLocked")
      expect(refused.message).toContain(folder)
      expect(refused.message).toContain(`process ${first.process.pid}`)
    })
  )

  it.live("lets one of two gateways in that start at once", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const both = [runFile(gateway, [folder, "hold"]), runFile(gateway, [folder, "hold"])]
      const outcomes = yield* Effect.promise(() =>
        Promise.all(both.map((one) => Promise.any([one.line("ready"), one.line("refused")])))
      )
      for (const one of both) one.process.kill("SIGTERM")
      yield* Effect.promise(() => Promise.all(both.map((one) => one.exit)))
      expect(outcomes.map((line) => line.split(" ")[0]).sort()).toEqual(["ready", "refused"])
    })
  )

  it.live("does not mistake another process for the server whose pid it has", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.scoped(startEmbedded({ folder }))
      const { uid, gid } = statSync(join(folder, "postgres", "data"))
      const bystander = spawn("sleep", ["60"], { stdio: "ignore", uid, gid })
      yield* Effect.addFinalizer(() => Effect.sync(() => bystander.kill("SIGKILL")))
      const lock = join(folder, "postgres", "data", "postmaster.pid")
      writeFileSync(lock, `${bystander.pid}\n${join(folder, "postgres", "data")}\n0\n1\n\n127.0.0.1\n0 0\nready   \n`)
      chownSync(lock, uid, gid)
      const server = yield* startEmbedded({ folder })
      expect(yield* query(server, "SELECT 1 AS one")).toEqual([{ one: 1 }])
      expect(viewProcess(bystander.pid!).state).toBe("running")
    })
  )

  it.live("stops the server soon after its gateway was killed", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const killed = runFile(gateway, [folder, "hold"])
      const [, , pid] = (yield* Effect.promise(() => killed.line("ready"))).split(" ")
      killed.process.kill("SIGKILL")
      yield* Effect.promise(() => killed.exit)
      yield* Effect.promise(() => eventually("the server ends", () => viewProcess(Number(pid)).state !== "running"))
      expect(existsSync(join(folder, "postgres", "data", "postmaster.pid"))).toBe(false)
    })
  )
})

describe.runIf(process.getuid?.() === 0)("as root", () => {
  it.live("runs below a folder that only root can pass", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      chmodSync(folder, 0o700)
      const server = yield* startEmbedded({ folder: join(folder, "deep", "data") })
      expect(yield* query(server, "SELECT 1 AS one")).toEqual([{ one: 1 }])
    })
  )

  it.live("runs for a normal user too", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const nobody = { uid: 65534, gid: 65534 }
      chownSync(folder, nobody.uid, nobody.gid)
      const running = runFile(gateway, [folder, "hold"], nobody)
      const [, , pid] = (yield* Effect.promise(() => running.line("ready"))).split(" ")
      const status = readFileSync(`/proc/${pid}/status`, "utf8")
      running.process.kill("SIGTERM")
      const { code } = yield* Effect.promise(() => running.exit)
      expect(status).toMatch(/^Uid:\s+65534\s/m)
      expect(code).toBe(0)
      expect(viewProcess(Number(pid)).state).not.toBe("running")
    })
  )
})
