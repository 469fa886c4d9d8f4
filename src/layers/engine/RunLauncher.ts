import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Redacted } from "effect"
import { ownFolder } from "../../drivers/blobs/disk/Folder.ts"
import { temporaryBytes } from "../../drivers/isolation/PythonStart.ts"
import { packagePath } from "../../drivers/Package.ts"
import { program } from "../../drivers/Programs.ts"
import { pythonProgram } from "../../drivers/python/Interpreter.ts"
import type { Interpreter, RunPart } from "../../protocol/Isolation.ts"
import type { Order } from "../../protocol/RunProtocol.ts"

/**
 * The capabilities that a run of root keeps without namespaces: those that reach the gateway's files, and those with
 * which it isolates Python.
 */
const kept = [
  "chown",
  "dac_override",
  "dac_read_search",
  "fowner",
  "fsetid",
  "kill",
  "net_admin",
  "setgid",
  "setpcap",
  "setuid",
  "sys_admin"
]

/** The command that starts a run with fewer privileges; empty where none is needed or available. */
export const plainLauncher = (): ReadonlyArray<string> => {
  if (process.platform !== "linux") return []
  const bounded = process.geteuid?.() === 0 ? [`--bounding-set=-all${kept.map((name) => `,+${name}`).join("")}`] : []
  const command = ["--no-new-privs", ...bounded]
  const { status } = spawnSync("setpriv", [...command, "true"], { stdio: "ignore", timeout: 10_000 })
  return status === 0 ? ["setpriv", ...command] : []
}

/** The folder in which the processes of runs keep their compiled modules. */
export const compiledFolder = (tempRoot: string): string =>
  process.env["NODE_COMPILE_CACHE"] ?? join(tempRoot, "compiled")

/** Files that a run's process needs besides the system's folders and its places: the product, Node and Python. */
const productFiles = ({ folders, command }: Interpreter, entry: URL): ReadonlyArray<string> => [
  ...["package.json", "dist", "src", "node_modules", "python"].map((name) => packagePath(name)),
  dirname(fileURLToPath(entry)),
  process.execPath,
  command,
  ...folders
]

/** Python keeps what it compiles of the launcher in a folder that no run sees. */
const launchOptions = (tempRoot: string) => [
  "-I",
  "-S",
  "-X",
  "utf8",
  "-X",
  `pycache_prefix=${join(tempRoot, "compiled-python")}`
]

/**
 * The command that starts a run with these parts of isolation. Neither the site's packages nor anything else that takes
 * time is loaded: each run starts it.
 */
export const isolatingLauncher = (
  interpreter: Interpreter,
  parts: ReadonlyArray<RunPart>,
  { hidden, tempRoot, entry }: RunSite
): ReadonlyArray<string> => [
  interpreter.command,
  ...launchOptions(tempRoot),
  pythonProgram("launch.py"),
  parts.join(","),
  String(temporaryBytes),
  ...productFiles(interpreter, entry ?? program("run")).flatMap((path) => ["show", path]),
  "cache",
  compiledFolder(tempRoot),
  ...hidden.flatMap((path) => ["hide", path]),
  "--"
]

/** The facts about the gateway that the launcher needs. */
export interface RunSite {
  /** Files and folders that no run may see, absolute, unless they are its places. */
  readonly hidden: ReadonlyArray<string>
  readonly tempRoot: string
  /** Whether runs have the machine's network. */
  readonly hasNetwork: boolean
  /** The folders that hold the places of runs: whether they can be given to another user depends on their file systems. */
  readonly roots: ReadonlyArray<string>
  /** The program of the runs; by default the product's. */
  readonly entry?: URL | undefined
}

/** The folder of a database's socket, where the address of the indices names one. */
const socketFolder = ({ search }: Order): ReadonlyArray<string> => {
  if (search === undefined) return []
  const url = new URL(Redacted.value(search.url))
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname)
  return host.startsWith("/") ? ["socket", host] : []
}

/**
 * The folders that a run writes to. Those of finished and unfinished files are in one: a file is renamed from one into the
 * other. The blobs are usually there, too.
 */
export const writtenFolders = ({ blobs, data, scratch, spec }: Order): ReadonlyArray<string> => [
  ...new Set([dirname(data), ...(blobs.kind === "disk" ? [join(blobs.root, spec.tenant)] : []), scratch])
]

/** What one run sees of the gateway's files, as `python/launch.py` reads it. */
export const placesOf = (order: Order, tempRoot: string): ReadonlyArray<string> => [
  "folder",
  dirname(dirname(order.conf)),
  "read",
  order.conf,
  ...writtenFolders(order).flatMap((folder) => ["write", folder]),
  ...Object.values(order.roots).flatMap(({ path, writable }) => [writable ? "open-write" : "open-read", path]),
  ...(order.blobs.kind === "disk" ? ["folder", join(order.blobs.root, ownFolder)] : []),
  // Read-only even inside a writable folder: no run may load what another run compiled.
  "read",
  compiledFolder(tempRoot),
  ...socketFolder(order)
]
