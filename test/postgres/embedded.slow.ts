import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { type EmbeddedPostgres, startEmbedded } from "../../src/layers/postgres/embedded/Embedded.ts"
import { viewProcess } from "../../src/layers/postgres/processes.ts"
import { temporaryCluster, temporaryFolder } from "../support/postgresServer.ts"
import { eventually, type Running, runFile } from "../support/process.ts"

const gateway = new URL("./gateway.ts", import.meta.url)

const query = (server: EmbeddedPostgres, text: string) =>
  Effect.scoped(
    Effect.flatMap(PgClient.makeClient({ url: server.url, connectTimeout: patience }), (sql) => sql.unsafe(text))
  ).pipe(Effect.provide(Reactivity.layer))

const end = (running: Running) => {
  running.process.kill("SIGTERM")
  return running.exit
}

/** How often PostgreSQL was started on the data folder, by its log. */
const startsOf = (folder: string) =>
  readFileSync(join(folder, "postgres", "server.log"), "utf8").split("starting PostgreSQL").length - 1

const patience = 240_000

describe.concurrent("startEmbedded", () => {
  it.live(
    "makes a cluster, keeps its rows over a restart and stops with its scope",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        // What a killed first start leaves.
        mkdirSync(join(folder, "postgres", "making-0123"), { recursive: true })
        writeFileSync(join(folder, "postgres", "making-0123", "PG_VERSION"), "18")
        const pid = yield* Effect.scoped(
          Effect.gen(function* () {
            const server = yield* startEmbedded({ folder })
            yield* query(server, "CREATE TABLE kept AS SELECT 42 AS answer")
            expect(readdirSync(join(folder, "postgres")).filter((name) => name.startsWith("making"))).toEqual([])
            return server.pid()!
          })
        )
        expect(viewProcess(pid).state).not.toBe("running")
        const server = yield* startEmbedded({ folder })
        expect(yield* query(server, "SELECT answer FROM kept")).toEqual([{ answer: 42 }])
        expect(startsOf(folder)).toBe(2)
      }),
    patience
  )

  it.live(
    "listens on the loopback alone, behind a password in a closed file",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
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
      }),
    patience
  )

  it.live(
    "refuses a second gateway, naming folder and process",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const first = runFile(gateway, [folder, "hold"])
        yield* Effect.addFinalizer(() => Effect.promise(() => end(first)))
        yield* Effect.promise(() => first.line("ready"))
        const refused = yield* Effect.flip(Effect.scoped(startEmbedded({ folder })))
        expect(refused._tag).toBe("FolderLocked")
        expect(refused.message).toContain(folder)
        expect(refused.message).toContain(`process ${first.process.pid}`)
      }),
    patience
  )

  it.live(
    "lets one of two gateways in that start at once",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const both = [runFile(gateway, [folder, "hold"]), runFile(gateway, [folder, "hold"])]
        const outcomes = yield* Effect.promise(() =>
          Promise.all(both.map((one) => Promise.any([one.line("ready"), one.line("refused")])))
        )
        for (const one of both) one.process.kill("SIGTERM")
        yield* Effect.promise(() => Promise.all(both.map((one) => one.exit)))
        expect(outcomes.map((line) => line.split(" ")[0]).sort()).toEqual(["ready", "refused"])
      }),
    patience
  )

  it.live(
    "stops the server soon after its gateway was killed",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const killed = runFile(gateway, [folder, "hold"])
        const [, , pid] = (yield* Effect.promise(() => killed.line("ready"))).split(" ")
        killed.process.kill("SIGKILL")
        yield* Effect.promise(() => killed.exit)
        yield* Effect.promise(() => eventually("the server ends", () => viewProcess(Number(pid)).state !== "running"))
        expect(existsSync(join(folder, "postgres", "data", "postmaster.pid"))).toBe(false)
      }),
    patience
  )
})
