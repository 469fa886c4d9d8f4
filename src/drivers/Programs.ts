import { readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { packagePath } from "./Package.ts"

/** Everything that runs as a process or worker thread of its own, with its entry point below `src/`. */
export const programs = {
  main: "main.ts",
  command: "command.ts",
  run: "run.ts",
  watchdog: "run/parentWatchThread.ts",
  part: "run/stream/parallel/partThread.ts",
  decoder: "layers/decoder/decoderThread.ts",
  sql: "layers/decoder/sqlProcess.ts",
  pages: "layers/documentation/pageThread.ts",
  heartbeat: "layers/postgres/gateways/heartbeatThread.ts",
  operators: "layers/operators/testWorkerThread.ts"
} as const

/** Environment variables that the processes of runs and Python inherit; settings and secrets are not passed on. */
export const inheritedVariables = ["PATH", "TZ", "LANG", "LC_ALL", "SystemRoot"]

/** The folder of the bundles, and the file that names the newest bundle. `scripts/bundle.ts` creates both. */
export const bundles = { folder: "dist/programs", current: "dist/programs/current" }

/** The folder of the newest bundle. */
const newestBundle = (): string =>
  packagePath(join(bundles.folder, readFileSync(packagePath(bundles.current), "utf8").trim()))

/**
 * The folder of the bundle whose programs this process starts; undefined when it starts sources. A bundled program
 * starts the programs of its own bundle, even if a newer one exists.
 */
let bundle: string | undefined
if (import.meta.dirname.startsWith(packagePath(bundles.folder))) bundle = import.meta.dirname
else if (extname(import.meta.url) !== ".ts") bundle = newestBundle()

/**
 * Makes a process that runs from sources start the programs of the newest bundle. For tests: they load sources and
 * start hundreds of processes.
 */
export const startBundled = (): void => {
  bundle = newestBundle()
}

/** The URL of a program. */
export const program = (name: keyof typeof programs): URL =>
  pathToFileURL(bundle === undefined ? packagePath(join("src", programs[name])) : join(bundle, `${name}.js`))
