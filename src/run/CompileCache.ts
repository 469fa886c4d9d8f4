import { statSync } from "node:fs"
import { flushCompileCache, getCompileCacheDir } from "node:module"
import { leaveWhenCold } from "../protocol/RunProtocol.ts"

/**
 * The time of the cache's last change; 0 when there is none. It may have been removed, or be hidden from this process:
 * no run fails for that.
 */
const cacheChanged = (): number => {
  const folder = getCompileCacheDir()
  try {
    return folder === undefined ? 0 : statSync(folder).mtimeMs
  } catch {
    return 0
  }
}

/**
 * Call it before the modules are loaded, and its result afterwards. With `leaveWhenCold`, a child that had to compile
 * the modules itself exits: compiling took 25 MiB that are not given back, and the next child finds them in the cache.
 */
export const compileCache = (): (() => void) => {
  const before = cacheChanged()
  return () => {
    // This process is killed in the end, so it never writes the cache by itself.
    flushCompileCache()
    if (process.argv.includes(leaveWhenCold) && cacheChanged() !== before) process.exit(0)
  }
}
