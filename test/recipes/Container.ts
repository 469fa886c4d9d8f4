import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect, type Scope } from "effect"
import { packagePath } from "../../src/drivers/Package.ts"
import { findBinaries } from "../../src/layers/postgres/embedded/Binaries.ts"
import { eventually } from "../support/process.ts"
import { childrenOf, type Exit, signal } from "../support/process-gateway.ts"

export interface Mount {
  readonly source: string
  readonly target: string
  readonly mode: "ro" | "rw"
}

export interface ContainerOptions {
  readonly name: string
  /** The folder that stores the container's changes. */
  readonly folder: string
  /** The host name; the container's own name by default. */
  readonly host?: string
  /** Its address in the network of the bridge; or the process whose network it shares. */
  readonly network: { readonly address: string } | { readonly shared: number }
  /** The contents of `/etc/hosts`. */
  readonly hosts: string
  readonly mounts: ReadonlyArray<Mount>
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly command: ReadonlyArray<string>
}

/** A running container: processes in their own process, mount, host name and network namespaces. */
export interface Container {
  /** The process id of its first process, as the machine sees it. */
  readonly pid: number
  readonly exit: Promise<Exit>
  readonly output: () => string
}

const script = fileURLToPath(new URL("container.sh", import.meta.url))

const ip = (line: string) => execFileSync("ip", line.split(" "), { stdio: ["ignore", "ignore", "inherit"] })

const bridge = "recipes0"

/** The network of the containers, 10.0.0.0/24: a bridge on which the machine has the first address. */
export const bridged = Effect.acquireRelease(
  Effect.sync(() => {
    ip(`link add ${bridge} type bridge`)
    ip(`address add 10.0.0.1/24 dev ${bridge}`)
    ip(`link set ${bridge} up`)
  }),
  () => Effect.sync(() => ip(`link del ${bridge}`))
)

let links = 0

/** The folder of the PostgreSQL programs, mounted where every user can read them. */
const postgres = await Effect.runPromise(findBinaries("/nowhere"))
const postgresHome = "/opt/postgresql"

/** What the images bring that the machine's root does not: this Node, and PostgreSQL. */
const ofImages: ReadonlyArray<Mount> = [
  { source: packagePath("node_modules/node/bin"), target: "/opt/node", mode: "ro" },
  { source: join(postgres.postgres, "../.."), target: postgresHome, mode: "ro" }
]

const path = `/opt/node:${postgresHome}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`

/** Starts a container. It is killed when the scope closes. */
export const startContainer = async (options: ContainerOptions, started: Set<ChildProcess>): Promise<Container> => {
  const { folder, name, host = name, network, mounts } = options
  mkdirSync(join(folder, "upper/etc"), { recursive: true })
  writeFileSync(join(folder, "upper/etc/hosts"), options.hosts)
  const isOwn = "address" in network
  const unshare = [
    "--mount",
    "--pid",
    "--uts",
    "--ipc",
    "--cgroup",
    "--fork",
    "--kill-child",
    ...(isOwn ? ["--net"] : [])
  ]
  const inside = [
    ...[script, folder, host, isOwn ? `${network.address}/24` : "-"],
    [...ofImages, ...mounts].map(({ source, target, mode }) => [source, target, mode].join(":")).join("\n"),
    ...["env", "-i", `--chdir=${options.directory}`, `PATH=${path}`, "HOME=/root"],
    ...Object.entries(options.environment).map(([variable, value]) => `${variable}=${value}`),
    ...options.command
  ]
  const join_ = isOwn ? [] : ["nsenter", `--net=/proc/${network.shared}/ns/net`]
  const [program = "", ...rest] = [...join_, "unshare", ...unshare, ...inside]
  const child = spawn(program, rest, { stdio: ["pipe", "pipe", "pipe"] })
  started.add(child)
  let output = ""
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk: Buffer) => (output += chunk.toString()))
  let over: Exit | undefined
  const exit = new Promise<Exit>((done) =>
    child.on("close", (code, signal) => {
      started.delete(child)
      over = { code, signal }
      done(over)
    })
  )
  await eventually(`the first process of ${name}`, () => over !== undefined || childrenOf(child.pid!).length > 0)
  const [pid] = childrenOf(child.pid!)
  if (pid === undefined) throw new Error(`${name} has ended: ${output}`)
  if (isOwn) {
    const link = `recipe${++links}`
    ip(`link add ${link} type veth peer name eth0 netns ${pid}`)
    ip(`link set ${link} master ${bridge} up`)
  }
  child.stdin.on("error", () => {})
  child.stdin.end("go\n")
  return { pid, exit, output: () => output }
}

/** Runs a command in a running container, and returns its output. Fails if the command fails. */
export const inside = async ({ pid }: Container, ...command: ReadonlyArray<string>): Promise<string> => {
  const namespaces = ["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--root", "--wd"]
  const { stdout, stderr } = await promisify(execFile)("nsenter", [`--target=${pid}`, ...namespaces, ...command])
  return stdout + stderr
}

/** The processes of the containers that are started: all are killed when the scope closes. */
export const containers: Effect.Effect<Set<ChildProcess>, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => new Set<ChildProcess>()),
  (started) =>
    Effect.promise(async () => {
      // The first process of a container takes all others with it.
      for (const child of started) {
        signal(childrenOf(child.pid!), "SIGKILL")
        child.kill("SIGKILL")
      }
      await eventually("no container is left", () => started.size === 0)
    })
)
