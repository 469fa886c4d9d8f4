import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { signal } from "../processes.ts"
import { type Account, chooseAccount, underAccount } from "./Account.ts"
import { type Binaries, findBinaries } from "./Binaries.ts"
import { attempt, EmbeddedPostgresError, essence, roomOn } from "./EmbeddedPostgresError.ts"

/** Name of the database superuser. The database itself is called `postgres`. */
export const superuser = "flow"

/** By default it is in `/dev/shm`, which in a container has less room than the workers of a large search share. */
export const sharedMemory: Readonly<Record<string, string>> =
  process.platform === "linux" ? { dynamic_shared_memory_type: "sysv" } : {}

/** A cluster on disk and what is needed to run it. All files are in `<data folder>/postgres`. */
export interface Cluster {
  /** The data directory of the cluster, mode 0700. */
  readonly folder: string
  /** The log file of the server. */
  readonly log: string
  readonly password: string
  readonly binaries: Binaries
  readonly account: Account
}

/** Finds the cluster of a data folder, or creates it at the first start. */
export const openCluster = Effect.fn("Cluster.open")(function* (
  dataFolder: string
): Effect.fn.Return<Cluster, EmbeddedPostgresError> {
  const wanted = join(resolve(dataFolder), "postgres")
  const home = yield* attempt(
    `The folder ${wanted} cannot be made`,
    () => makeHome(wanted),
    "Set FLOW_DATA to a folder that the gateway may write."
  )
  const binaries = yield* findBinaries(join(home, "lib"))
  const folder = join(home, "data")
  const account = yield* chooseAccount(folder, home, binaries)
  const isNew = !existsSync(join(folder, "PG_VERSION"))
  if (isNew) yield* attempt(`The folder ${folder} cannot be read`, () => refuseRemains(folder))
  const password = yield* attempt(`The password in ${home} cannot be read`, () => passwordOf(home, isNew))
  const cluster: Cluster = { folder, log: join(home, "server.log"), password, binaries, account }
  if (isNew) yield* initialise(home, cluster)
  return cluster
})

/**
 * The real path of the folder. A running server is recognised by the path in its arguments, so the path must be unique.
 */
const makeHome = (home: string): string => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return realpathSync(home)
}

/** What is left of a database is neither used nor replaced. */
const refuseRemains = (folder: string) => {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return
  throw new EmbeddedPostgresError({
    message:
      `The folder ${folder} has files, but its PG_VERSION is missing, so it is no whole database. ` +
      "Put it back from a backup, or move it away for a new database."
  })
}

/** It is part of a URL. What the gateway makes has letters, digits, `-` and `_`. */
const isPassword = (text: string): boolean => /^[A-Za-z0-9._~!$*+,;=-]+$/.test(text)

const passwordOf = (home: string, isNew: boolean): string => {
  const file = join(home, "password")
  if (existsSync(file)) {
    chmodSync(file, 0o600)
    const password = readFileSync(file, "utf8").trim()
    if (isPassword(password)) return password
    throw new EmbeddedPostgresError({
      message:
        `The file ${file} holds no password of letters and digits. ` +
        (isNew ? "Remove it: there is no database yet." : "Put it back from a backup.")
    })
  }
  if (!isNew) {
    throw new EmbeddedPostgresError({
      message: `The password file ${file} of the existing database is missing. Put it back from a backup.`
    })
  }
  const password = randomBytes(24).toString("base64url")
  writeDurably(file, password)
  return password
}

const writeDurably = (file: string, text: string) => {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  syncFolder(dirname(file))
}

const syncFolder = (folder: string) => {
  const descriptor = openSync(folder, "r")
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * Creates the cluster under a temporary name and renames it when it is complete, so that a killed start leaves no
 * incomplete cluster. What a start that fails or is stopped has made is removed.
 */
const initialise = Effect.fnUntraced(function* (home: string, cluster: Cluster) {
  const what = `PostgreSQL's files cannot be made in ${home}`
  const prepare = attempt(what, () => {
    for (const name of readdirSync(home)) {
      if (name.startsWith("making-")) rmSync(join(home, name), removing)
    }
    const making = join(home, `making-${randomBytes(4).toString("hex")}`)
    const passwordFile = `${making}.password`
    mkdirSync(making, { mode: 0o700 })
    writeFileSync(passwordFile, cluster.password, { mode: 0o600 })
    const { owner } = cluster.account
    if (owner !== undefined) for (const path of [making, passwordFile]) chownSync(path, owner.uid, owner.gid)
    return { making, passwordFile }
  })
  yield* Effect.acquireUseRelease(
    prepare,
    ({ making, passwordFile }) =>
      Effect.andThen(
        runInitdb(what, cluster, making, passwordFile),
        attempt(what, () => {
          renameSync(making, cluster.folder)
          syncFolder(home)
        })
      ),
    ({ making, passwordFile }) =>
      Effect.ignore(
        attempt(what, () => {
          for (const path of [making, passwordFile]) rmSync(path, removing)
        })
      )
  )
})

/** An initdb that a killed gateway has left may still write for a moment. */
const removing = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const

/** Ends together with all processes of initdb: none of them writes to the folder when its lock is released. */
const runInitdb = (what: string, cluster: Cluster, folder: string, passwordFile: string) =>
  Effect.acquireUseRelease(
    attempt(what, () => startInitdb(cluster, folder, passwordFile)),
    ({ ended }) => attempt(what, () => ended),
    ({ end }) => Effect.promise(end)
  )

const startInitdb = ({ account, binaries, folder: cluster, log }: Cluster, folder: string, passwordFile: string) => {
  const [program, args, options] = underAccount(
    account,
    binaries.initdb,
    `--pgdata=${folder}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // PostgreSQL's own collation: the text order does not depend on the C library.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    ...Object.entries(sharedMemory).map(([name, value]) => `--set=${name}=${value}`)
  )
  const child = spawn(program, args, {
    ...options,
    detached: true,
    env: { ...process.env, ...binaries.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk: Buffer) => (said += chunk.toString()))
  let isOver = false
  const ended = new Promise<void>((done, fail) => {
    child.on("error", (cause) => {
      isOver = true
      fail(cause)
    })
    // Its pipes are closed by the last process of its group.
    child.on("close", (code, by) => {
      isOver = true
      if (code === 0) return done()
      fail(
        new Error(
          `initdb ended with ${by ?? code}: ${essence(said)}${kept(log, said)}${roomOn(dirname(cluster), said)}`
        )
      )
    })
  })
  const end = async () => {
    if (!isOver && child.pid !== undefined) signal(-child.pid, "SIGKILL")
    await ended.catch(() => undefined)
  }
  return { ended, end }
}

/** Keeps what initdb has said in the log, where there is room for it. */
const kept = (log: string, said: string): string => {
  try {
    writeFileSync(log, said, { flag: "a", mode: 0o640 })
    return `; its output is in ${log}`
  } catch {
    return ""
  }
}
