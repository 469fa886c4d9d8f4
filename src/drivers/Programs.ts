import { readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { packagePath } from "./Package.ts"

/** What runs as a process or a worker thread of its own, with its entry below `src/`. */
export const programs = {
  main: "main.ts",
  run: "run.ts",
  watchdog: "run/watchdogThread.ts",
  part: "run/stream/parallel/worker.ts",
  decoder: "layers/decoder/thread.ts",
  sql: "layers/decoder/sql.ts",
  operators: "layers/operators/worker.ts"
} as const

/** Folder of the bundles, and the file in it that names the newest one. `scripts/bundle.ts` makes both. */
export const bundles = { folder: "dist/programs", current: "dist/programs/current" }

/** The folder of the newest bundle. */
export const newestBundle = (): string =>
  packagePath(join(bundles.folder, readFileSync(packagePath(bundles.current), "utf8").trim()))

/**
 * The folder of the bundle whose programs this process starts; undefined when it starts sources, as sources do. A
 * bundled program starts those that were bundled with it, also when newer ones have been made meanwhile.
 */
let bundle: string | undefined
if (import.meta.dirname.startsWith(packagePath(bundles.folder))) bundle = import.meta.dirname
else if (extname(import.meta.url) !== ".ts") bundle = newestBundle()

/** Lets sources start the programs of the newest bundle: tests load sources, and start hundreds of processes. */
export const startBundled = (): void => {
  bundle = newestBundle()
}

/** Where a program is. */
export const program = (name: keyof typeof programs): URL =>
  pathToFileURL(bundle === undefined ? packagePath(join("src", programs[name])) : join(bundle, `${name}.js`))
