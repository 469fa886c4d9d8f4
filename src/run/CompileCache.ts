import { statSync } from "node:fs"
import { flushCompileCache, getCompileCacheDir } from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { leaveWhenCold } from "../protocol/Order.ts"

const cacheChanged = (): number => {
  const folder = getCompileCacheDir()
  return folder === undefined ? 0 : statSync(folder).mtimeMs
}

/**
 * Call it before the modules are loaded, and the function that it returns afterwards: writes the compile cache and
 * frees the memory that loading took.
 */
export const idling = (): (() => void) => {
  const before = cacheChanged()
  return () => {
    // This process ends with SIGKILL, so Node would never write the cache by itself.
    flushCompileCache()
    // Stripping types and compiling take 25 MiB that are never returned; the next child reads the cache instead.
    if (process.argv.includes(leaveWhenCold) && cacheChanged() !== before) process.exit(0)
    // Returns what loading left on the heap to the system: another 25 MiB.
    setFlagsFromString("--expose-gc")
    const gc: NodeJS.GCFunction = runInNewContext("gc")
    gc({ type: "major", execution: "sync", flavor: "last-resort" })
  }
}
