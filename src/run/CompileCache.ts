import { statSync } from "node:fs"
import { flushCompileCache, getCompileCacheDir } from "node:module"
import { leaveWhenCold } from "../protocol/RunProtocol.ts"

/** 0 when there is no cache: it may have been removed, or lie where this process cannot see it, and no run fails for that. */
const cacheChanged = (): number => {
  const folder = getCompileCacheDir()
  try {
    return folder === undefined ? 0 : statSync(folder).mtimeMs
  } catch {
    return 0
  }
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
