import { spawn } from "node:child_process"
import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openCluster } from "../../src/layers/postgres/embedded/DatabaseCluster.ts"
import { startEmbedded } from "../../src/layers/postgres/embedded/Embedded.ts"
import { essence } from "../../src/layers/postgres/embedded/EmbeddedPostgresError.ts"
import { stopOrphan } from "../../src/layers/postgres/embedded/Shutdown.ts"
import { viewProcess } from "../../src/layers/postgres/processes.ts"
import { temporaryCluster } from "../support/postgresServer.ts"

const patience = 240_000

const writeLock = (files: string, text: string) => {
  const lock = join(files, "postmaster.pid")
  const { uid, gid } = statSync(files)
  writeFileSync(lock, text)
  chownSync(lock, uid, gid)
  return lock
}

/** A process of the user that PostgreSQL runs as, until the scope closes. */
const bystander = (files: string, cwd = "/") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { gid, uid } = statSync(files)
      return spawn("sleep", ["600"], { stdio: "ignore", cwd, uid, gid })
    }),
    (sleeping) => Effect.sync(() => sleeping.kill("SIGKILL"))
  )

/** The pid of a process that has ended. */
const free = Effect.promise(
  () =>
    new Promise<number>((done) => {
      const short = spawn("true")
      short.once("close", () => done(short.pid!))
    })
)

describe.runIf(process.platform === "linux").concurrent("a lock file that no server holds", () => {
  const whole = (pid: number, files: string) => `${pid}\n${files}\n0\n1\n\n127.0.0.1\n0 0\nready   \n`
  const remnants: ReadonlyArray<readonly [string, (living: number, dead: number, files: string) => string]> = [
    ["is empty", () => ""],
    ["is torn in its first line", () => "-"],
    ["holds no number", () => "\0\0\0\0"],
    ["is torn after the pid of another process", (living) => `${living}`],
    ["is torn in the folder of another process", (living, _, files) => `${living}\n${files.slice(0, 9)}`],
    ["is torn after a free pid", (_, dead) => `${dead}`],
    ["is whole and names another process", (living, _, files) => whole(living, files)],
    ["is whole and names the first process", (_, __, files) => whole(1, files)]
  ]
  it.live(
    "lets the first attempt of a start pass",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const files = join(folder, "postgres", "data")
        const living = yield* bystander(files)
        const log = () => readFileSync(join(folder, "postgres", "server.log"), "utf8")
        for (const [at, [what, text]] of remnants.entries()) {
          writeLock(files, text(living.pid!, yield* free, files))
          yield* Effect.scoped(startEmbedded({ folder }))
          expect(log().split("starting PostgreSQL").length - 1, what).toBe(at + 1)
          expect(log(), what).not.toContain("FATAL")
        }
        expect(viewProcess(living.pid!).state).toBe("running")
      }),
    patience
  )

  it.live(
    "stays as long as somebody works in the cluster's folder",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const cluster = yield* openCluster(folder)
        const worker = yield* bystander(cluster.folder, cluster.folder)
        for (const text of ["", `${worker.pid}\n`]) {
          const lock = writeLock(cluster.folder, text)
          yield* Effect.promise(() => stopOrphan(cluster))
          expect(existsSync(lock)).toBe(true)
        }
      }),
    patience
  )
})

describe.concurrent("a start that PostgreSQL refuses", () => {
  it.live(
    "is told in one line with the log's name",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const home = join(folder, "postgres")
        writeFileSync(join(home, "data", "PG_VERSION"), "17\n")
        const { message } = yield* Effect.flip(Effect.scoped(startEmbedded({ folder })))
        expect(message).toMatch(/^PostgreSQL did not start: database files are incompatible with server: The data dir/)
        expect(message).toContain(`Its log is ${join(home, "server.log")}.`)
        expect(message).not.toContain("\n")
      }),
    patience
  )

  it("gives the first severe line and its detail, else initdb's error, else the last line", () => {
    const stamp = "2026-01-01 00:00:00 UTC [7]"
    const log = [`${stamp} LOG:  starting`, `${stamp} FATAL:  lock file "a" is empty`, `${stamp} HINT:  Either`, ""]
    expect(essence(log.join("\n"))).toBe('lock file "a" is empty')
    expect(essence(`${stamp} FATAL:  no\n${stamp} DETAIL:  why`)).toBe("no: why")
    const refused = `${stamp} FATAL:  the database system is starting up`
    const follows = `${stamp} PANIC:  cannot abort transaction 1, it was already committed`
    expect(essence(`bootstrap script ... ${refused}\n${stamp} FATAL:  could not extend\n${follows}`)).toBe(
      "could not extend"
    )
    expect(essence("creating … \ninitdb: error: no space\ninitdb: removing contents")).toBe("no space")
    expect(essence("unshare: unshare failed: No space left on device\n\n")).toContain("unshare failed")
    expect(essence("")).toBe("")
  })
})
