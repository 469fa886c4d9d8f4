import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { Duplex } from "node:stream"
import { text } from "node:stream/consumers"
import { Failure } from "../../drivers/Failure.ts"
import { refuseShortage } from "../../drivers/isolation/Probe.ts"
import { planOf } from "../../drivers/isolation/PythonStart.ts"
import { pythonEnvironment, pythonOptions, pythonProgram } from "../../drivers/python/Interpreter.ts"
import {
  type Interpreter,
  type Isolation,
  type PythonPlace,
  type RunIsolation,
  type RunPart,
  runParts
} from "../../protocol/Isolation.ts"
import { isolatingLauncher, plainLauncher, type RunSite } from "../engine/RunLauncher.ts"

/** Milliseconds for one try, on a busy machine. */
const patience = 30_000

const socketOf = (stream: unknown): Duplex | undefined => (stream instanceof Duplex ? stream : undefined)

/**
 * What runs in place of a run: it writes to its only place, and isolates Python as a run does, if this machine isolates
 * Python at all.
 */
const trial = `
const { spawnSync } = require("node:child_process")
const { readFileSync, writeFileSync } = require("node:fs")
const [folder, python] = process.argv.slice(1)
readFileSync(0)
writeFileSync(folder + "/written", "")
let said = "ok"
if (python !== undefined) {
  const { command, options, plan } = JSON.parse(python)
  const { stdout, stderr, error } = spawnSync(command, options, { cwd: folder + "/python", input: plan + "\\n", encoding: "utf8" })
  if (error) said = "Python cannot be started within: " + error.code
  else if (!stdout.startsWith("{")) said = "Python cannot be isolated within: " + stderr.trim().split("\\n").at(-1)
}
console.log(said)
`

interface Fault {
  readonly part: RunPart
  readonly reason: string
}

const isPart = (name: string): name is RunPart => runParts.some((part) => part === name)

const nested = (interpreter: Interpreter, isolation: Isolation | undefined): ReadonlyArray<string> => {
  // Without namespaces Python cannot have them within either, and needs nothing else of the run.
  if (isolation?.parts.includes("files") !== true || isolation.bubblewrap !== undefined) return []
  const within = { ...isolation, parts: isolation.parts.filter((part) => part !== "user") }
  const options = [...pythonOptions, pythonProgram("isolated.py")]
  return [JSON.stringify({ command: interpreter.command, options, plan: JSON.stringify(planOf("probe.py", within)) })]
}

/** Starts the trial with these parts. Undefined if it worked; else the part that failed. */
const attempt = async (
  interpreter: Interpreter,
  isolation: Isolation | undefined,
  parts: ReadonlyArray<RunPart>,
  site: RunSite,
  folder: string
): Promise<Fault | undefined> => {
  const place = await mkdtemp(join(folder, "try-"))
  await mkdir(join(place, "python"))
  const [command = "", ...args] = isolatingLauncher(interpreter, parts, site)
  const child = spawn(command, [...args, process.execPath, "-e", trial, place, ...nested(interpreter, isolation)], {
    cwd: place,
    env: pythonEnvironment(),
    stdio: ["pipe", "pipe", "pipe", "ignore", "ignore", "pipe"]
  })
  const timer = setTimeout(() => child.kill("SIGKILL"), patience)
  const streams: ReadonlyArray<unknown> = child.stdio
  const [stdin, stdout, stderr, door] = [0, 1, 2, 5].map((at) => socketOf(streams[at]))
  if (stdin === undefined || stdout === undefined || stderr === undefined || door === undefined) {
    clearTimeout(timer)
    throw new Failure("A process could not be started to try out the isolation of runs")
  }
  for (const stream of [stdin, door]) stream.on("error", () => {})
  door.write(`${[...site.roots.flatMap((root) => ["read", root]), "write", place].join("\0")}\0\0`)
  let answer = ""
  door.on("data", (chunk: Buffer) => (answer += chunk.toString()))
  // The trial would find nothing where it has not been given its places; it ends with its input anyway.
  door.once("close", () => stdin.end())
  const closed = once(child, "close").finally(() => clearTimeout(timer))
  const [[code, signal], out, said] = await Promise.all([closed, text(stdout), text(stderr)])
  if (out.trim() === "ok") return undefined
  // A machine that is too busy says nothing of what it can do.
  if (signal === "SIGKILL") throw new Failure(`Isolation could not be tried out within ${patience / 1000} seconds`)
  refuseShortage(`${answer}\n${out}\n${said}`)
  const refusal = answer.trim()
  if (refusal !== "ok" && refusal !== "") return { part: parts.includes("user") ? "user" : "files", reason: refusal }
  const [, part = "files", reason] = /^isolation: (\w+): (.*)$/m.exec(said) ?? []
  const lines = `${out}\n${said}`.trim().split("\n")
  // Node ends with its version, whatever it says before.
  const last = lines.find((line) => /^\w*Error: /.test(line)) ?? lines.at(-1)
  return { part: isPart(part) ? part : "files", reason: reason ?? (last || `the process ended with ${signal ?? code}`) }
}

/** What is left where a run gets no view of its own. */
const plain = (missing: ReadonlyArray<Fault>, { hasNetwork }: RunSite): RunIsolation => {
  const launcher = plainLauncher()
  const isRoot = process.geteuid?.() === 0
  const reason = missing.find(({ part }) => part === "files")?.reason ?? "there is no view of its own"
  const privileges = isRoot ? "root keeps what it needs to reach its files" : "setpriv of util-linux cannot be used"
  const has = launcher.length > 0 && !isRoot
  return {
    parts: has ? ["privileges"] : [],
    missing: runParts
      .filter((part) => (part !== "privileges" || !has) && (part !== "network" || !hasNetwork))
      .map((part) => ({ part, reason: part === "privileges" ? privileges : reason })),
    launcher,
    hasDoor: false
  }
}

/** Tries out how far this machine can isolate the processes of runs. `root` is a folder for temporary files. */
export const findRunIsolation = async (
  { interpreter, isolation }: PythonPlace,
  site: RunSite,
  root: string
): Promise<RunIsolation> => {
  if (process.platform !== "linux") return plain([{ part: "files", reason: "only Linux has it" }], site)
  if (interpreter === undefined) return plain([{ part: "files", reason: "it needs Python 3.9 or newer" }], site)
  const isRoot = process.geteuid?.() === 0
  // Python within would have neither a view of its own nor another user.
  const unseen = isolation?.missing.find(({ part }) => part === "files")
  if (isRoot && unseen !== undefined) return plain([{ part: "files", reason: unseen.reason }], site)
  let parts: ReadonlyArray<RunPart> = runParts.filter(
    (part) => (part !== "user" || isRoot) && (part !== "network" || !site.hasNetwork)
  )
  let missing: ReadonlyArray<Fault> = isRoot ? [] : [{ part: "user", reason: "only root can change the user" }]
  await mkdir(root, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(root, "probe-runs-"))
  try {
    while (parts.includes("files") && parts.includes("privileges")) {
      const fault = await attempt(interpreter, isolation, parts, site, folder)
      if (fault === undefined) {
        return { parts, missing, launcher: isolatingLauncher(interpreter, parts, site), hasDoor: true }
      }
      parts = parts.filter((part) => part !== fault.part)
      missing = [...missing, fault]
    }
    return plain(missing, site)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
