import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"

/** The cost of a measured section. */
export interface Cost {
  readonly seconds: number
  /** Processor time of all processes, including those that have ended meanwhile. */
  readonly cpuSeconds: number
  /** The largest sum of their proportional memory (Pss) in any sample. */
  readonly peakMiB: number
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const threadsOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** A process and its descendants. */
export const treeOf = (pid: number): ReadonlyArray<number> => [
  pid,
  ...threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(" ")
      .filter((child) => child.trim() !== "")
      .flatMap((child) => treeOf(Number(child)))
  )
]

/**
 * Processor seconds of process trees so far, including descendants that have ended. Linux counts them in hundredths of
 * a second, so a measured section must take a second or more.
 */
export const cpuSecondsOf = (pids: Iterable<number>): number => {
  let ticks = 0
  for (const pid of new Set([...pids].flatMap(treeOf))) {
    const fields = read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? []
    // User and system time of the process and of the children that it has waited for.
    for (const field of fields.slice(11, 15)) ticks += Number(field)
  }
  return ticks / 100
}

/** Proportional memory of process trees in MiB: a page shared by several processes counts once. */
export const memoryMiBOf = (pids: Iterable<number>): number => {
  let kib = 0
  for (const pid of new Set([...pids].flatMap(treeOf))) {
    kib += Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0)
  }
  return kib / 1024
}

/** Measures work of process trees that exist before and after it. */
export const costOf = async (pids: ReadonlyArray<number>, work: () => Promise<unknown>): Promise<Cost> => {
  let peakMiB = memoryMiBOf(pids)
  const sampler = setInterval(() => {
    peakMiB = Math.max(peakMiB, memoryMiBOf(pids))
  }, 250)
  try {
    const [cpu, start] = [cpuSecondsOf(pids), performance.now()]
    await work()
    const seconds = (performance.now() - start) / 1000
    return { seconds, cpuSeconds: cpuSecondsOf(pids) - cpu, peakMiB: Math.max(peakMiB, memoryMiBOf(pids)) }
  } finally {
    clearInterval(sampler)
  }
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The numbers of cores that a benchmark covers: one, two, and all of the machine. `BENCH_CORES` selects one. */
const usualWidths = (): ReadonlyArray<number> => {
  const [chosen, all] = [process.env["BENCH_CORES"], availableParallelism()]
  return chosen === undefined ? [...new Set([1, Math.min(2, all), all])] : [Number(chosen)]
}

/**
 * Runs a benchmark in a separate process for each number of cores, pinned to these with all its children, and prints
 * the total processor time and peak memory. Returns the number of cores only in these processes.
 *
 * @param file the file of the benchmark, which calls this first
 */
export const pinned = async (file: string, widths = usualWidths()): Promise<number> => {
  const inside = process.env["BENCH_INSIDE"]
  if (inside !== undefined) return Number(inside)
  for (const cores of widths) {
    console.log(`\n## ${cores} ${cores === 1 ? "core" : "cores"}\n`)
    const child = spawn("taskset", ["-c", `0-${cores - 1}`, process.execPath, file, ...process.argv.slice(2)], {
      stdio: "inherit",
      env: { ...process.env, BENCH_INSIDE: String(cores) }
    })
    let code: unknown
    const cost = await costOf([process.pid], async () => {
      code = (await once(child, "exit"))[0]
    })
    console.log(
      `all processes together: ${cost.cpuSeconds.toFixed(0)} s of processor, ${cost.peakMiB.toFixed(0)} MiB at the peak`
    )
    if (code !== 0) process.exit(1)
  }
  process.exit()
}

/** {@link pinned} for a benchmark that is a function. */
export const onCores = (file: string, program: (cores: number) => Promise<void>): void => {
  pinned(file)
    .then(program)
    .then(
      () => process.exit(),
      (error) => {
        console.error(error)
        process.exit(1)
      }
    )
}
