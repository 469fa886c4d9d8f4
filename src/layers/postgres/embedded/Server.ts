import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, fstatSync, openSync, readSync, renameSync, statfsSync, statSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { availableMemory, usualWork } from "../../../drivers/UsualWork.ts"
import { underAccount } from "./Account.ts"
import { type Cluster, sharedMemory } from "./DatabaseCluster.ts"
import { EmbeddedPostgresError, essence, namesError, roomOn } from "./EmbeddedPostgresError.ts"
import { lockFile } from "./Shutdown.ts"

/** Size in bytes at which the next start rotates the log. */
const logLimit = 4 * 1024 * 1024

/** Opens the server's log for appending. */
const openLog = (cluster: Cluster): number => {
  const size = statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0
  if (size > logLimit) renameSync(cluster.log, `${cluster.log}.1`)
  return openSync(cluster.log, "a+", 0o640)
}

/** The server's output after byte `offset` of the log, at most its last 16 KiB. */
const logSince = (cluster: Cluster, offset: number): string => {
  const descriptor = openSync(cluster.log, "r")
  try {
    const { size } = fstatSync(descriptor)
    const from = Math.max(offset, size - 16_384)
    const bytes = Buffer.alloc(Math.max(size - from, 0))
    readSync(descriptor, bytes, 0, bytes.length, from)
    return bytes.toString().trim()
  } finally {
    closeSync(descriptor)
  }
}

/** A running server that accepts connections. */
export interface Server {
  readonly pid: number
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>
}

/** PostgreSQL settings for one gateway on one machine, by name. */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  // A search takes a lock for each table and index that it reads.
  max_locks_per_transaction: "256",
  shared_buffers: `${Math.floor(usualWork(availableMemory()).bufferBytes / 1024)}kB`,
  max_wal_size: "512MB",
  ...sharedMemory,
  // The gateway's statements are short: JIT compilation costs more than it saves.
  jit: "off",
  // Saves three idle worker processes.
  io_method: "sync",
  timezone: "UTC",
  log_timezone: "UTC",
  // Failed statements are reported to the gateway, so the server's log contains only messages about the server.
  log_min_messages: "log",
  log_checkpoints: "off"
}

/** A free port of 127.0.0.1. */
export const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const probe = createServer()
    probe.once("error", fail)
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => done(port))
    })
  })

const pause = (millis: number) => new Promise((done) => setTimeout(done, millis))

/**
 * Ends the server when the gateway was killed: a shell waits on a pipe that only the gateway holds open, and then
 * requests a fast shutdown. The signal is sent only if the server is the one in the lock file, which a starting server
 * writes shortly after its start.
 */
const guard = (cluster: Cluster, pid: number): ChildProcess => {
  const script =
    'read _; until read pid < "$1/postmaster.pid" && test "$pid" = "$2"; ' +
    'do kill -0 "$2" && sleep 0.1 || exit; done; kill -INT "$2"'
  const [program, args, options] = underAccount(
    cluster.account,
    "/bin/sh",
    "-c",
    script,
    "sh",
    cluster.folder,
    String(pid)
  )
  const child = spawn(program, args, { ...options, detached: true, stdio: ["pipe", "ignore", "ignore"] })
  child.on("error", () => undefined)
  child.unref()
  return child
}

/** Known remedies for a failed start. */
const remedies: ReadonlyArray<readonly [RegExp, (cluster: Cluster) => string]> = [
  [/lock file/, ({ folder }) => `If no PostgreSQL works on it any more, remove ${folder}/postmaster.pid. `],
  [/wrong ownership/, ({ folder }) => `Give ${folder} and all in it to the gateway's user (chown -R). `]
]

/** Bytes without which PostgreSQL does not start: it writes its lock file and its log. */
const room = 64 * 1024

/** Whether the disk of the cluster is full. A server that cannot write says little, as its log is there too. */
const isFull = ({ folder }: Cluster): boolean => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < room
  } catch {
    return false
  }
}

const refusal = (cluster: Cluster, over: string, printed: string): EmbeddedPostgresError => {
  const said = printed === "" ? over : essence(printed)
  const reason = !namesError(printed) && isFull(cluster) ? `${over}: No space left for its log` : said
  const room = roomOn(cluster.folder, `${printed}${reason}`)
  const remedy = room === "" ? remedies.find(([pattern]) => pattern.test(printed))?.[1](cluster) : undefined
  return new EmbeddedPostgresError({
    message: `PostgreSQL did not start: ${reason}${room}. ${remedy ?? ""}Its log is ${cluster.log}.`,
    printed
  })
}

/**
 * Starts the server and waits until it accepts connections. Recovery after a crash may take any time. The server runs
 * in its own process group, so that Ctrl-C at a terminal reaches only the gateway, which drains first.
 *
 * @throws EmbeddedPostgresError when the server ends instead; the reason is the last error in its log
 */
export const launch = async (
  cluster: Cluster,
  port: number,
  extra: Readonly<Record<string, string>> = {}
): Promise<Server> => {
  const flags = Object.entries({ ...settings, ...extra }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const { account, binaries, folder } = cluster
  const [program, args, options] = underAccount(account, binaries.postgres, "-D", folder, "-p", String(port), ...flags)
  const log = openLog(cluster)
  const offset = fstatSync(log).size
  const child = spawn(program, args, {
    ...options,
    detached: true,
    env: { PATH: process.env["PATH"], ...binaries.env, LC_ALL: "C" },
    stdio: ["ignore", log, log]
  })
  closeSync(log)
  child.unref()
  const watcher = child.pid === undefined ? undefined : guard(cluster, child.pid)
  let over: string | undefined
  const ended = new Promise<void>((done) => {
    child.on("error", (cause) => {
      over = cause.message
      done()
    })
    child.on("exit", (code, by) => {
      over = `it ended with ${by ?? code}`
      done()
    })
  })
  void ended.then(() => watcher?.kill("SIGKILL"))
  while (true) {
    const found = lockFile(cluster)
    if (child.pid !== undefined && Number(found[0]) === child.pid && found[7]?.trim() === "ready") break
    if (over !== undefined) throw refusal(cluster, over, logSince(cluster, offset))
    await Promise.race([pause(10), ended])
  }
  return { pid: child.pid, ended }
}
