import type { Scope } from "effect"
import { Effect, Redacted } from "effect"
import { type Cluster, openCluster, superuser } from "./Cluster.ts"
import { attempt, type EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { type FolderLocked, lockFolder } from "./FolderLock.ts"
import { takeFiles } from "./Ownership.ts"
import { freePort, launch, type Server } from "./Server.ts"
import { stop, stopOrphan } from "./Shutdown.ts"

/** How to reach the server. All of it stays the same when the server has to be restarted. */
export interface EmbeddedPostgres {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: Redacted.Redacted<string>
  readonly database: string
  /** The same as one `postgres://` address. */
  readonly url: Redacted.Redacted<string>
  /** The pid of the running server; `undefined` while it is being restarted. */
  readonly pid: () => number | undefined
}

const host = "127.0.0.1"
const database = "postgres"

/**
 * Runs the PostgreSQL of the npm package on `<folder>/postgres` for as long as the scope lasts: makes the cluster at
 * the first start, stops a server that a killed gateway left behind, restarts the server on the same port whenever it
 * ends by itself, and shuts it down in the end. The folder is locked against a second gateway.
 *
 * @param options.folder the gateway's data folder
 * @param options.settings PostgreSQL settings over the built-in ones
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
 * A killed server can be in the process table for seconds, and PostgreSQL then takes its lock file for valid; its
 * shared memory outlives it until the last backend has noticed. Both pass: the start is repeated for ten seconds.
 */
const passes = /lock file|shared memory|Address already in use|could not bind/

const firstStart = Effect.fnUntraced(function* (cluster: Cluster, start: Start) {
  const deadline = performance.now() + 10_000
  while (true) {
    yield* attempt("The server left by an earlier gateway cannot be stopped", () => stopOrphan(cluster))
    yield* attempt(`The owner of ${cluster.folder} cannot be changed`, () => takeFiles(cluster))
    const port = yield* attempt("There is no free port", freePort)
    const result = yield* Effect.result(start(port))
    if (result._tag === "Success") return { port, server: result.success }
    if (!passes.test(result.failure.printed ?? "") || performance.now() > deadline) return yield* result.failure
    yield* Effect.sleep(100)
  }
})

/** Restarts the server for ever, at first at once, then at growing intervals up to five seconds. */
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
      // A server that ends again right after its start is not hurried.
      if (performance.now() - startedAt > 10_000) wait = 0
      yield* Effect.logWarning("PostgreSQL has ended unexpectedly; it is started again")
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
