import { statSync } from "node:fs"
import { flushCompileCache, getCompileCacheDir } from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { leaveWhenCold } from "../protocol/RunProtocol.ts"

const cacheChanged = (): number => {
  const folder = getCompileCacheDir()
  return folder === undefined ? 0 : statSync(folder).mtimeMs
}

/** Call it before the modules are loaded, and what it returns after. */
export const idling = (): (() => void) => {
  const before = cacheChanged()
  return () => {
    // This process is killed in the end, and so would never write the cache by itself.
    flushCompileCache()
    // Stripping types and compiling took memory that does not come back, 25 MiB; the next child finds the cache.
    if (process.argv.includes(leaveWhenCold) && cacheChanged() !== before) process.exit(0)
    // What loading left on the heap goes back to the system: another 25 MiB.
    setFlagsFromString("--expose-gc")
    const gc: NodeJS.GCFunction = runInNewContext("gc")
    gc({ type: "major", execution: "sync", flavor: "last-resort" })
  }
}
