import { execFileSync } from "node:child_process"
import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Redacted, type Scope } from "effect"
import { type Cluster, openCluster, superuser } from "./DatabaseCluster.ts"
import { attempt, type EmbeddedPostgresError, isDiskFull } from "./EmbeddedPostgresError.ts"
import { type FolderLocked, lockFolder } from "./FolderLock.ts"
import { freePort, launch, type Server } from "./Server.ts"
import { isHeld, stop, stopOrphan } from "./Shutdown.ts"

/**
 * Changes the owner of the cluster's files to the user that PostgreSQL now runs as, as PostgreSQL requires. This is
 * needed, for instance, when the system no longer allows user namespaces. A marker file survives a kill during the
 * change: while it exists, the files may have mixed owners. No server may be running on the cluster.
 */
const takeFiles = ({ account, folder }: Cluster): void => {
  const { owner } = account
  if (owner === undefined) return
  const mark = join(dirname(folder), "changing-owner")
  if (!existsSync(mark) && statSync(folder).uid === owner.uid) return
  writeFileSync(mark, "", { mode: 0o600, flush: true })
  execFileSync("chown", ["-hR", `${owner.uid}:${owner.gid}`, realpathSync(folder)], { stdio: "pipe" })
  rmSync(mark)
}

/** The address of the server. It stays the same when the server is restarted. */
export interface EmbeddedPostgres {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: Redacted.Redacted<string>
  readonly database: string
  /** All connection parameters as one `postgres://` URL. */
  readonly url: Redacted.Redacted<string>
  /** The pid of the running server; `undefined` during a restart. */
  readonly pid: () => number | undefined
}

const host = "127.0.0.1"
const database = "postgres"

/**
 * Runs the PostgreSQL of the npm package in `<folder>/postgres` until the scope closes. Creates the cluster at the
 * first start, stops a server that a killed gateway left running, restarts the server on the same port whenever it ends
 * unexpectedly, and finally shuts it down. Locks the folder against a second gateway.
 *
 * @param options.folder the gateway's data folder @param options.settings PostgreSQL settings that override the
 * built-in ones
 */
export const startEmbedded = Effect.fn("Embedded.start")(function* (options: {
  readonly folder: string
  readonly settings?: Readonly<Record<string, string>>
}): Effect.fn.Return<EmbeddedPostgres, EmbeddedPostgresError | FolderLocked, Scope.Scope> {
  yield* lockFolder(options.folder)
  const cluster = yield* openCluster(options.folder)
  const start = (port: number) => attempt("PostgreSQL cannot be started", () => launch(cluster, port, options.settings))
  const running = yield* Effect.acquireRelease(
    Effect.map(firstStart(cluster, start), ({ port, server }) => ({ port, server: server as Server | undefined })),
    ({ server }) => Effect.promise(async () => (server === undefined ? undefined : stop(server.pid)))
  )
  yield* Effect.forkScoped(supervise(running, start(running.port)))
  yield* Effect.logInfo(`PostgreSQL runs on ${host}:${running.port}, its files in ${cluster.folder}`)
  const { password } = cluster
  return {
    host,
    port: running.port,
    user: superuser,
    password: Redacted.make(password),
    database,
    url: Redacted.make(`postgres://${superuser}:${password}@${host}:${running.port}/${database}`),
    pid: () => running.server?.pid
  }
})

type Start = (port: number) => Effect.Effect<Server, EmbeddedPostgresError>

/**
 * Temporary errors, for which the start is repeated. A killed server can stay in the process table for a while, so that
 * PostgreSQL takes its lock file for valid. Its shared memory exists until its last backend has ended. Where it was
 * killed while it made an unlogged table, its next start ends with "File exists", and the one after that removes the file.
 */
const passes =
  /lock file|pre-existing shared memory|Address already in use|could not bind|could not create file .*: File exists/

/** Milliseconds of repeating: while the server of the lock file runs, which will hardly end, and after it has ended. */
const patience = { held: 10_000, left: 60_000 }

const firstStart = Effect.fnUntraced(function* (cluster: Cluster, start: Start) {
  const startedAt = performance.now()
  const isOver = () => performance.now() - startedAt > (isHeld(cluster) ? patience.held : patience.left)
  while (true) {
    yield* attempt("The server of an earlier gateway cannot be stopped", () => stopOrphan(cluster))
    yield* attempt(`The owner of ${cluster.folder} cannot be changed`, () => takeFiles(cluster))
    const port = yield* attempt("There is no free port", freePort)
    const result = yield* Effect.result(start(port))
    if (result._tag === "Success") return { port, server: result.success }
    const { printed = "" } = result.failure
    if (!passes.test(printed) || isDiskFull(printed) || isOver()) return yield* result.failure
    yield* Effect.sleep(100)
  }
})

/** Restarts the server whenever it ends: first immediately, then at growing intervals of up to five seconds. */
const supervise = Effect.fnUntraced(function* (
  running: { server: Server | undefined },
  restart: Effect.Effect<Server, EmbeddedPostgresError>
) {
  let wait = 0
  while (true) {
    const { server } = running
    if (server !== undefined) {
      const startedAt = performance.now()
      yield* Effect.promise(() => server.ended)
      running.server = undefined
      // A server that ended soon after its start is restarted more slowly.
      if (performance.now() - startedAt > 10_000) wait = 0
      yield* Effect.logWarning("PostgreSQL ended unexpectedly; restarting it")
    }
    yield* Effect.sleep(wait)
    wait = Math.min(Math.max(wait * 2, 100), 5000)
    yield* restart.pipe(
      Effect.tap((next) => Effect.sync(() => (running.server = next))),
      Effect.uninterruptible,
      Effect.catch((error) => Effect.logWarning(error.message))
    )
  }
})
