import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

// The sources run from `src/`, the built package from `dist/src/`: what both have in common is the package's folder.
const root = (() => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error("flow-gateway has lost its package.json")
    folder = parent
  }
  return folder
})()

/** Absolute path of something that comes with the package. */
export const packagePath = (path: string): string => (path === "" ? root : join(root, path))
