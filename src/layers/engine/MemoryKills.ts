import { readFileSync } from "node:fs"

const counted = (path: string): number | undefined => {
  try {
    const found = /^oom_kill (\d+)$/m.exec(readFileSync(path, "latin1"))?.[1]
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}

const groups = (): string => {
  try {
    return readFileSync("/proc/self/cgroup", "latin1")
  } catch {
    return ""
  }
}

/**
 * The files in which Linux may count the processes that it has killed for lack of memory: those of this process's control
 * group, as in `/proc/self/cgroup` of cgroups(7), before that of the machine. In a container the path of the group can be
 * that outside of it, where its own files are at the top.
 */
export const countersOf = (text: string): ReadonlyArray<string> => {
  const found = text.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    const [folder, file] =
      controllers === "" ? ["/sys/fs/cgroup", "memory.events"] : ["/sys/fs/cgroup/memory", "memory.oom_control"]
    const isMemory = controllers === "" || controllers?.split(",").includes("memory") === true
    return isMemory ? [`${folder}${path === "/" ? "" : path}/${file}`, `${folder}/${file}`] : []
  })
  return [...found, "/proc/vmstat"]
}

let counter: string | undefined

/** How many processes Linux has killed for lack of memory since its start; undefined where it does not tell. */
export const memoryKills = (): number | undefined => {
  if (process.platform !== "linux") return undefined
  counter ??= countersOf(groups()).find((path) => counted(path) !== undefined) ?? ""
  return counter === "" ? undefined : counted(counter)
}
