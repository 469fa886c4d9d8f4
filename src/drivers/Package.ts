import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

// Sources are in `src/`, the built package in `dist/src/`, so the package's folder is searched upwards.
const root = (() => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error("The package.json of flow-gateway is missing")
    folder = parent
  }
  return folder
})()

/** The absolute path of a file of the package. */
export const packagePath = (path: string): string => (path === "" ? root : join(root, path))

/** The version of the package. */
export const packageVersion: string = JSON.parse(readFileSync(packagePath("package.json"), "utf8")).version
