import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Redacted, Scope } from "effect"
import { Effect, References } from "effect"
import { openCluster } from "../../src/layers/postgres/embedded/DatabaseCluster.ts"
import { startEmbedded } from "../../src/layers/postgres/embedded/Embedded.ts"
import type { EmbeddedPostgresError } from "../../src/layers/postgres/embedded/EmbeddedPostgresError.ts"
import { type FolderLocked, lockFolder } from "../../src/layers/postgres/embedded/FolderLock.ts"

/** Maximum bytes that the servers of a run need: some hundred MiB. */
const most = 512 * 1024 * 1024

/** An in-memory file system with room for several runs, unless `TMPDIR` sets the place of files. */
const memory = (): string | undefined => {
  if (process.env["TMPDIR"] !== undefined || process.availableMemory() < 4 * most) return undefined
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    return bavail * bsize < 2 * most ? undefined : "/dev/shm"
  } catch {
    return undefined
  }
}

/** Where the processes of the run find {@link servers}: `TMPDIR` is the run's own in them. */
export const serversVariable = "TEST_SERVERS"

/**
 * Data folders of test servers, separate for each user, so that runs of root and of others do not interfere. On a disk,
 * creating and removing their files takes the kernel a fifth of a run's processor time.
 */
export const servers =
  process.env[serversVariable] ?? join(memory() ?? tmpdir(), `flow-gateway-tests-${process.getuid?.() ?? 0}`)

/** A folder for one server. Its mode lets the server's user through where root cannot have a user namespace. */
export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    mkdirSync(servers, { recursive: true, mode: 0o711 })
    return mkdtempSync(join(servers, "run-"))
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Where the processes of the run find a cluster to copy: initdb takes seconds of processor time. */
const templateVariable = "TEST_CLUSTER"

/** The template is locked, so that no other run removes it. */
const template = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  yield* lockFolder(folder)
  yield* openCluster(folder)
  yield* Effect.acquireRelease(
    Effect.sync(() => (process.env[templateVariable] = join(folder, "postgres"))),
    () => Effect.sync(() => delete process.env[templateVariable])
  )
})

/**
 * Puts a fresh cluster into a data folder.
 *
 * @param folder an existing folder without `postgres`
 */
export const putCluster = (folder: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.suspend(() => {
    const source = process.env[templateVariable]
    if (source === undefined) return Effect.asVoid(openCluster(folder))
    return Effect.promise(() => promisify(execFile)("cp", ["-Rp", source, join(folder, "postgres")]))
  })

/** A temporary data folder with a fresh cluster. */
export const temporaryCluster: Effect.Effect<string, EmbeddedPostgresError, Scope.Scope> = Effect.tap(
  temporaryFolder,
  putCluster
)

/** A test releases its folder's lock between two servers. No test takes this many milliseconds. */
const leftover = 10 * 60_000

/** Removes the remains of killed runs: old folders whose lock is free. Their servers ended with their owners. */
const sweep = Effect.gen(function* () {
  mkdirSync(servers, { recursive: true, mode: 0o711 })
  for (const name of readdirSync(servers)) {
    const folder = join(servers, name)
    const made = statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? Date.now()
    if (Date.now() - made < leftover) continue
    yield* Effect.scoped(lockFolder(folder)).pipe(
      Effect.andThen(Effect.sync(() => rmSync(folder, { recursive: true, force: true }))),
      Effect.ignore
    )
  }
})

/** A PostgreSQL for tests: real, but without waiting for the disk, which only matters when the machine dies. */
export const startTestServer: Effect.Effect<
  Redacted.Redacted<string>,
  EmbeddedPostgresError | FolderLocked,
  Scope.Scope
> = Effect.gen(function* () {
  yield* sweep
  if (process.env[templateVariable] === undefined) yield* template
  const folder = yield* temporaryCluster
  const { url } = yield* startEmbedded({
    folder,
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "400" }
  })
  return url
}).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))
