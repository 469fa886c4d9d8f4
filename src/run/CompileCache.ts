import { statSync } from "node:fs"
import { flushCompileCache, getCompileCacheDir } from "node:module"
import { leaveWhenCold } from "../protocol/RunProtocol.ts"

const cacheChanged = (): number => {
  const folder = getCompileCacheDir()
  return folder === undefined ? 0 : statSync(folder).mtimeMs
}

/**
 * Call it before the modules are loaded, and its result afterwards. A child that had to compile them, and was told to
 * leave in that case, exits: compiling took 25 MiB that do not come back, and the next child finds the cache.
 */
export const compileCache = (): (() => void) => {
  const before = cacheChanged()
  return () => {
    // This process is killed in the end, so it never writes the cache by itself.
    flushCompileCache()
    if (process.argv.includes(leaveWhenCold) && cacheChanged() !== before) process.exit(0)
  }
}
