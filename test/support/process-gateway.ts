import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Redacted, type Scope } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import { holdToDescription } from "./answers.ts"
import { freshDatabase } from "./postgres.ts"
import { endWithThis, eventually } from "./process.ts"

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A gateway in a separate process, as `npm start` runs it. */
export interface GatewayProcess {
  readonly process: ChildProcess
  readonly pid: number
  readonly exit: Promise<Exit>
  readonly stdout: () => string
  readonly stderr: () => string
  /** Waits for the ready line. If the process ends first, it fails with the process's output. */
  readonly ready: () => Promise<{ readonly url: string; readonly port: number }>
}

const passed = ["PATH", "HOME", "TMPDIR", "LANG", "NODE_COMPILE_CACHE"]

/**
 * Starts the gateway with only these variables of the gateway.
 *
 * @param through a command that replaces itself by the command appended to it
 */
export const startProcess = (
  variables: Readonly<Record<string, string>>,
  through: ReadonlyArray<string> = []
): GatewayProcess => {
  const env: NodeJS.ProcessEnv = { FLOW_PORT: "0" }
  for (const name of passed) if (name in process.env) env[name] = process.env[name]
  Object.assign(env, variables)
  const [command = "", ...args] = [...through, process.execPath, fileURLToPath(program("main"))]
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] })
  endWithThis(child)
  let stdout = ""
  let stderr = ""
  let over: Exit | undefined
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  const exit = new Promise<Exit>((done) =>
    child.on("close", (code, signal) => {
      over = { code, signal }
      done(over)
    })
  )
  const ready = async () => {
    await eventually("the ready line", () => over !== undefined || stdout.includes("\n"))
    const found = /^flow-gateway ready (https?:\/\/127\.0\.0\.1:(\d+))\n/.exec(stdout)
    if (found === null) throw new Error(`The gateway is not ready (${JSON.stringify(over)}): ${stdout}${stderr}`)
    holdToDescription(found[1]!)
    return { url: found[1]!, port: Number(found[2]) }
  }
  return { process: child, pid: child.pid!, exit, stdout: () => stdout, stderr: () => stderr, ready }
}

const fieldsOf = (pid: number | string): ReadonlyArray<string> => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}

/** Whether the process can still act. A zombie cannot. */
export const isAlive = (pid: number): boolean => !["Z", "X", undefined].includes(fieldsOf(pid)[0])

/** The process ids of all living processes for which the condition holds. */
export const pidsWhere = (holds: (pid: number, parent: number) => boolean): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)) && holds(Number(name), Number(fieldsOf(name)[1])))
    .map(Number)

export const childrenOf = (pid: number): ReadonlyArray<number> => pidsWhere((_, parent) => parent === pid)

/** The arguments of a process, separated by blanks. */
export const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

/** The files below a folder that a process has open. */
export const openBelow = (pid: number, folder: string): ReadonlyArray<string> =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Resident MiB of a process. */
export const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** The processes of a gateway's runs: its children that execute the product's `run`. */
export const runnersOf = (gateway: number): ReadonlyArray<number> =>
  childrenOf(gateway).filter((pid) => /\/run\.(ts|js)/.test(commandOf(pid)))

/** The embedded PostgreSQL of a data folder, server first; empty if it is not running. */
export const postgresOf = (data: string): ReadonlyArray<number> => {
  try {
    const server = Number(readFileSync(join(data, "postgres/data/postmaster.pid"), "utf8").split("\n")[0])
    if (!isAlive(server) || !commandOf(server).includes(data)) return []
    return [server, ...childrenOf(server)]
  } catch {
    return []
  }
}

export const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {}
  }
}

/** A folder below another, removed with the scope. */
export const temporaryIn = (parent: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(parent, "flow-process-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  )

/** A temporary folder, removed with the scope. */
export const temporary = temporaryIn(tmpdir())

/** The processes on one data folder. Those that are still running when the scope closes are killed. */
export interface Site {
  readonly data: string
  /** Starts a gateway on the folder and waits until it is ready. */
  readonly start: (variables?: Readonly<Record<string, string>>) => Promise<Running>
  /** The same without waiting. */
  readonly spawn: (variables?: Readonly<Record<string, string>>) => GatewayProcess
}

export interface Running extends GatewayProcess {
  readonly url: string
  readonly port: number
  readonly kill: (signal: NodeJS.Signals) => Promise<Exit>
}

const leave = async (data: string, started: ReadonlyArray<GatewayProcess>) => {
  const pids = started.filter(({ pid, process }) => process.exitCode === null && isAlive(pid)).map(({ pid }) => pid)
  const runs = pids.flatMap(runnersOf)
  const postgres = postgresOf(data)
  signal([...pids, ...runs], "SIGKILL")
  // A killed server would leave shared memory, which only its next start on this folder removes. It kills the others.
  for (const name of ["SIGQUIT", "SIGCONT"] as const) signal(postgres.slice(0, 1), name)
  await eventually("no process is left", () => ![...pids, ...postgres, ...runs].some(isAlive))
}

/**
 * A fresh data folder on which gateways can be started, killed and started again. With `embedded` each gateway runs
 * PostgreSQL there. Otherwise they share a fresh database of the run's server, which starts much faster.
 */
export const site = (
  options: {
    readonly embedded?: boolean
    readonly variables?: Readonly<Record<string, string>>
    readonly through?: ReadonlyArray<string>
  } = {}
): Effect.Effect<Site, never, Scope.Scope> =>
  Effect.gen(function* () {
    const data = yield* temporary
    const database = options.embedded === true ? {} : { FLOW_DATABASE_URL: Redacted.value(yield* freshDatabase) }
    const started: Array<GatewayProcess> = []
    yield* Effect.addFinalizer(() => Effect.promise(() => leave(data, started)))
    const spawnHere = (variables: Readonly<Record<string, string>> = {}) => {
      const gateway = startProcess(
        { FLOW_DATA: data, ...database, ...options.variables, ...variables },
        options.through
      )
      started.push(gateway)
      return gateway
    }
    const start = async (variables: Readonly<Record<string, string>> = {}) => {
      const gateway = spawnHere(variables)
      const address = await gateway.ready()
      const kill = (name: NodeJS.Signals) => {
        gateway.process.kill(name)
        return gateway.exit
      }
      return { ...gateway, ...address, kill }
    }
    return { data, start, spawn: spawnHere }
  })
