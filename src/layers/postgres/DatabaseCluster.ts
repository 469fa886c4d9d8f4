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
import { type Account, chooseAccount, underAccount } from "./Account.ts"
import { type Binaries, findBinaries } from "./Binaries.ts"
import { attempt, EmbeddedPostgresError, essence } from "./EmbeddedPostgresError.ts"

/** Name of the database superuser. The database itself is called `postgres`. */
export const superuser = "flow"

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
  const password = yield* attempt(`The password in ${home} cannot be read`, () => passwordOf(home, isNew))
  const cluster: Cluster = { folder, log: join(home, "server.log"), password, binaries, account }
  if (isNew) yield* attempt(`PostgreSQL's files cannot be made in ${home}`, () => initialise(home, cluster))
  return cluster
})

/**
 * The real path of the folder. A running server is recognised by the path in its arguments, so the path must be unique.
 */
const makeHome = (home: string): string => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return realpathSync(home)
}

const passwordOf = (home: string, isNew: boolean): string => {
  const file = join(home, "password")
  if (existsSync(file)) {
    chmodSync(file, 0o600)
    return readFileSync(file, "utf8").trim()
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
 * incomplete cluster.
 */
const initialise = async (home: string, cluster: Cluster) => {
  for (const name of readdirSync(home)) {
    if (name.startsWith("making-")) rmSync(join(home, name), { recursive: true, force: true })
  }
  const making = join(home, `making-${randomBytes(4).toString("hex")}`)
  const passwordFile = `${making}.password`
  mkdirSync(making, { mode: 0o700 })
  writeFileSync(passwordFile, cluster.password, { mode: 0o600 })
  const { owner } = cluster.account
  if (owner !== undefined) for (const path of [making, passwordFile]) chownSync(path, owner.uid, owner.gid)
  await runInitdb(cluster, making, passwordFile)
  rmSync(passwordFile)
  renameSync(making, cluster.folder)
  syncFolder(home)
}

const runInitdb = ({ account, binaries, log }: Cluster, folder: string, passwordFile: string): Promise<void> => {
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
    "--builtin-locale=C.UTF-8"
  )
  return new Promise((done, fail) => {
    const child = spawn(program, args, {
      ...options,
      detached: true,
      env: { ...process.env, ...binaries.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk: Buffer) => (said += chunk.toString()))
    child.on("error", fail)
    child.on("close", (code, by) => {
      if (code === 0) return done()
      writeFileSync(log, said, { flag: "a", mode: 0o640 })
      fail(new Error(`initdb ended with ${by ?? code}: ${essence(said)}; its output is in ${log}`))
    })
  })
}
