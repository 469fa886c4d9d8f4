/**
 * What keeps a program of users apart from the rest of the machine. `files`: it sees the system's folders, read-only,
 * and a temporary folder of bounded size. `processes`: it sees its own processes only, and they end with it. `network`:
 * it has a loopback device of its own and no other. `user`: it runs as a user that nothing else on the machine has.
 * `privileges`: it has no capability and cannot get any.
 */
export const isolationParts = ["files", "processes", "network", "user", "privileges"] as const
export type IsolationPart = (typeof isolationParts)[number]

/** How programs of users are isolated on this machine. */
export interface Isolation {
  readonly parts: ReadonlyArray<IsolationPart>
  /** The parts that cannot be had, and why. */
  readonly missing: ReadonlyArray<{ readonly part: IsolationPart; readonly reason: string }>
  /** The path of bubblewrap, where it makes the namespaces. */
  readonly bubblewrap?: string | undefined
  /** Files and folders that no program may see, absolute. */
  readonly hidden: ReadonlyArray<string>
}

/**
 * What keeps the process of a run apart. The parts have the meaning of those of Python, but the run also has its tenant's
 * files and the product's own. It has the part `network` only where the operator takes the network away from runs.
 */
export const runParts = [
  "files",
  "processes",
  "network",
  "user",
  "privileges"
] as const satisfies ReadonlyArray<IsolationPart>
export type RunPart = (typeof runParts)[number]

/** How the processes of runs are isolated on this machine. */
export interface RunIsolation {
  readonly parts: ReadonlyArray<RunPart>
  /** The parts that cannot be had, and why. */
  readonly missing: ReadonlyArray<{ readonly part: RunPart; readonly reason: string }>
  /** The command that starts a run; the run's own follows it. Empty where there is none. */
  readonly launcher: ReadonlyArray<string>
  /** Whether the launcher waits for the places of the run, see `python/launch.py`. */
  readonly hasDoor: boolean
  /** Why runs are refused, for users. */
  readonly refusal?: string | undefined
}

/** A usable Python interpreter. `command` is its absolute path. */
export interface Interpreter {
  readonly command: string
  readonly version: string
  /** The folders of the interpreter and of the packages that it finds. */
  readonly folders: ReadonlyArray<string>
}

/** What runs Python programs, and how. */
export interface PythonPlace {
  readonly interpreter?: Interpreter | undefined
  /** Absent where programs run as the gateway's user without isolation. */
  readonly isolation?: Isolation | undefined
  /** Why programs are not run at all, for users. */
  readonly refusal?: string | undefined
}
