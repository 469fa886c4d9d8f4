import { once } from "node:events"
import { constants } from "node:fs"
import { access, mkdir, mkdtemp, rm } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { text } from "node:stream/consumers"
import { type Interpreter, type Isolation, type IsolationPart, isolationParts } from "../../protocol/Isolation.ts"
import { Failure } from "../Failure.ts"
import { startPython } from "./PythonStart.ts"

/** Milliseconds for one try, on a busy machine. */
const patience = 30_000

interface Fault {
  readonly part: IsolationPart
  readonly reason: string
}

const isPart = (name: string): name is IsolationPart => isolationParts.some((part) => part === name)

/** Error messages of a machine that lacks resources at the moment. They say nothing about the parts. */
const shortage =
  /\b(?:EAGAIN|ENOMEM|EMFILE|ENFILE)\b|Resource temporarily unavailable|Cannot allocate memory|Too many open files|MemoryError|all \d+ users [a-z ]*are taken/

/** Fails if the try failed for lack of resources, which may be over at the next try. */
export const refuseShortage = (said: string): void => {
  const [found] = shortage.exec(said) ?? []
  if (found !== undefined) throw new Failure(`Isolation could not be tried out: ${found}`)
}

/** Starts Python with these parts. Undefined if it worked; else the part that failed. */
const attempt = async (python: Interpreter, isolation: Isolation, root: string): Promise<Fault | undefined> => {
  // A folder of its own: a try with another user changes its owner.
  const folder = await mkdtemp(join(root, "try-"))
  const child = startPython("probe.py", python, isolation, {
    folder,
    stdio: ["pipe", "pipe", "pipe"]
  })
  const timer = setTimeout(() => child.kill("SIGKILL"), patience)
  const closed = once(child, "close").finally(() => clearTimeout(timer))
  child.stdin?.end()
  const [[, signal], out, said] = await Promise.all([
    closed,
    ...[child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream)))
  ])
  if (out?.startsWith("{") === true) return undefined
  // A timeout says nothing of what the machine can do.
  if (signal === "SIGKILL") throw new Failure(`Python could not be tried out within ${patience / 1000} seconds`)
  refuseShortage(said ?? "")
  const [, part, reason] = /^isolation: (\w+): (.*)$/m.exec(said ?? "") ?? []
  if (part !== undefined && isPart(part)) return { part, reason: reason ?? "" }
  const { parts } = isolation
  // Usually the folder of Python, which the other user may not enter.
  const suspect = parts.includes("user") ? "user" : (parts[0] ?? "files")
  return { part: suspect, reason: `Python did not start: ${said?.trim().split("\n").at(-1)}` }
}

/** The most parts that work together when the namespaces are made this way. */
const most = async (python: Interpreter, isolation: Isolation, folder: string): Promise<Isolation> => {
  let { parts, missing } = isolation
  while (parts.length > 0) {
    const fault = await attempt(python, { ...isolation, parts }, folder)
    if (fault === undefined) break
    parts = parts.filter((part) => part !== fault.part)
    missing = [...missing, fault]
  }
  return { ...isolation, parts, missing }
}

const noParts = (reason: string) => isolationParts.map((part) => ({ part, reason }))

const findBubblewrap = async (): Promise<string | undefined> => {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, "bwrap")
    const found =
      folder.startsWith("/") &&
      (await access(path, constants.X_OK).then(
        () => true,
        () => false
      ))
    if (found) return path
  }
  return undefined
}

const namespaces: ReadonlyArray<IsolationPart> = ["files", "processes", "network"]
const hasNamespaces = ({ parts }: Isolation) => namespaces.every((part) => parts.includes(part))

/** How namespaces may be made: by Python itself, or by bubblewrap where a system allows them to it alone. */
export type Maker = "python" | "bubblewrap"

/**
 * Tries out how far this machine can isolate Python programs. `root` is a folder for temporary files, `hidden` what no
 * program may see.
 */
export const findIsolation = async (
  python: Interpreter,
  {
    root,
    hidden,
    makers = ["python", "bubblewrap"]
  }: {
    readonly root: string
    readonly hidden: ReadonlyArray<string>
    readonly makers?: ReadonlyArray<Maker>
  }
): Promise<Isolation> => {
  const nothing: Isolation = { parts: [], missing: noParts("only Linux has it"), hidden }
  if (process.platform !== "linux") return nothing
  const isRoot = process.geteuid?.() === 0
  const wanted: Isolation = {
    hidden,
    parts: isolationParts.filter((part) => part !== "user" || isRoot),
    missing: isRoot ? [] : [{ part: "user", reason: "only root can change the user" }]
  }
  await mkdir(root, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(root, "probe-"))
  try {
    const own = makers.includes("python") ? await most(python, wanted, folder) : nothing
    if (hasNamespaces(own) || !makers.includes("bubblewrap")) return own
    const bubblewrap = await findBubblewrap()
    if (bubblewrap === undefined) return own
    const other = await most(python, { ...wanted, bubblewrap }, folder)
    return hasNamespaces(other) ? other : own
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
