import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { release } from "node:os"
import type { Interpreter, Isolation, IsolationPart } from "../../protocol/Isolation.ts"
import { runProcess } from "../ProcessName.ts"
import { pythonEnvironment, pythonOptions, pythonProgram } from "../python/Interpreter.ts"

/** Size of a program's temporary folder, which is in memory. */
export const temporaryBytes = 256 * 1024 * 1024

/** Maximum number of processes and threads of a program. */
const maxProcesses = 512

/** The exit code of `python/isolated.py` and `python/launch.py` where a part of the isolation cannot be had. */
export const isolationFailed = 71

/** Why, as they say it on standard error. */
export const isolationRefusal = (said: string): string | undefined => /^isolation: \w+: (.*)$/m.exec(said)?.[1]

/** Before Linux 5.14 the processes that the gateway's user has elsewhere count, too. */
const countsApart = (): boolean => {
  const [major = 0, minor = 0] = release().split(".").map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

/** Within a run that has a user of its own, Python has it too, and its namespaces keep them apart. */
const partsHere = (isolation: Isolation): ReadonlyArray<IsolationPart> =>
  process.geteuid?.() === 0 && process.env[runProcess] === undefined
    ? isolation.parts
    : isolation.parts.filter((part) => part !== "user")

/** What `python/isolated.py` reads as its first line. */
export const planOf = (program: string, isolation: Isolation) => {
  const parts = partsHere(isolation)
  const has = new Set(parts)
  return {
    program,
    parts,
    bubblewrap: isolation.bubblewrap ?? null,
    hidden: isolation.hidden,
    temporaryBytes,
    processes: has.has("user") || (has.has("files") && countsApart()) ? maxProcesses : null,
    // Without a namespace, what kills the group of the run has to reach the program.
    apart: has.has("processes")
  }
}

/**
 * Starts a program of `python/`, isolated if `isolation` says so. `folder` must be empty: where the program sees no other
 * files it stands in for its root. Standard input belongs to the program from here on.
 */
export const startPython = (
  program: string,
  { command }: Interpreter,
  isolation: Isolation | undefined,
  { folder, ...options }: Omit<SpawnOptions, "cwd" | "env"> & { readonly folder: string }
): ChildProcess => {
  const given = { ...options, cwd: folder, env: pythonEnvironment() }
  if (isolation === undefined || isolation.parts.length === 0) {
    return spawn(command, [...pythonOptions, pythonProgram(program)], given)
  }
  const child = spawn(command, [...pythonOptions, pythonProgram("isolated.py")], given)
  child.stdin?.on("error", () => {})
  child.stdin?.write(`${JSON.stringify(planOf(program, isolation))}\n`)
  return child
}
