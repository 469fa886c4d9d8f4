import { type Finding, missing, ok } from "./Finding.ts"

const fewFiles = 4096

/** Each run is some processes with about a dozen threads, and each thread counts. */
const fewProcesses = 1024

/** The hard limit with this name in the text of `/proc/<pid>/limits`; infinite where it has none. */
const hardLimit = (limits: string, name: string): number | undefined => {
  const value = new RegExp(String.raw`^Max ${name}\s+\S+\s+(\S+)`, "m").exec(limits)?.[1]
  if (value === undefined) return undefined
  return value === "unlimited" ? Number.POSITIVE_INFINITY : Number(value)
}

const told = (limit: number): string => (limit === Number.POSITIVE_INFINITY ? "no limit" : `at most ${limit}`)

/** What limits the processes of this user, from `/proc/self/limits`. That of processes does not hold for root. */
export const limitFindings = (limits: string, isRoot: boolean): ReadonlyArray<Finding> => {
  // Node raises its own soft limit to the hard one.
  const files = hardLimit(limits, "open files")
  const processes = isRoot ? undefined : hardLimit(limits, "processes")
  const space = hardLimit(limits, "address space")
  const atLeast = (name: string, limit: number | undefined, few: number, where: string) => {
    if (limit === undefined) return []
    const cure = `raise the limit to ${few} or more (${where})`
    return [limit < few ? missing(name, told(limit), cure) : ok(name, told(limit))]
  }
  return [
    ...atLeast("open files", files, fewFiles, "ulimit -n, LimitNOFILE="),
    ...atLeast("processes", processes, fewProcesses, "ulimit -u, LimitNPROC="),
    ...(space === undefined || space === Number.POSITIVE_INFINITY
      ? []
      : [
          missing(
            "address space",
            `at most ${Math.floor(space / 1024 ** 2)} MiB: Node reserves much more than it uses, so runs and the gateway may end`,
            "remove the limit (ulimit -v unlimited, LimitAS=infinity), and limit memory with MemoryMax= or the container"
          )
        ])
  ]
}
