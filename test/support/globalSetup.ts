import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Exit, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { bundle, refresh } from "../../scripts/bundle.ts"
import { packagePath } from "../../src/drivers/Package.ts"
import { isProcessGone, processName } from "../../src/drivers/ProcessName.ts"
import { bundles } from "../../src/drivers/Programs.ts"
import { servers, serversVariable, startTestServer } from "./postgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL that all test files of this run share. `TestPostgres` creates databases in it. */
    postgresUrl: string
  }
}

const patiently = { maxRetries: 20, retryDelay: 50 }

const temporaryPrefix = "flow-tests-"

/**
 * Makes the folder of all temporary files of this run, and removes those of runs that were killed. What another user or a
 * mounted disk has in one keeps it.
 */
const ownTemporaryFolder = (): string => {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(temporaryPrefix) || isProcessGone(name.slice(temporaryPrefix.length)) !== true) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {}
  }
  const folder = join(tmpdir(), `${temporaryPrefix}${processName}`)
  // Servers of other users pass through it.
  mkdirSync(folder, { mode: 0o711 })
  return folder
}

/**
 * Bundles the programs that the tests start, as `npm start` does. All of them share a cache of compiled code, which the
 * first instance of each fills.
 */
const prepare = async (temporary: string): Promise<void> => {
  await refresh()
  const cache = join(temporary, "compiled")
  mkdirSync(cache, { mode: 0o700 })
  process.env["NODE_COMPILE_CACHE"] = cache
}

/** Starts one PostgreSQL for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = await Effect.runPromise(Scope.make())
  const temporary = ownTemporaryFolder()
  await prepare(temporary)
  const home = packagePath(bundles.folder)
  // The next bundling removes it if this run is killed.
  const name = `tests-${processName}`
  await bundle(home, name, { entry: fileURLToPath(new URL("../engine/entry.ts", import.meta.url)) })
  process.env["TEST_ENGINE_ENTRY"] = join(home, name, "entry.js")
  const url = await Effect.runPromise(Scope.provide(startTestServer, scope))
  project.provide("postgresUrl", Redacted.value(url))
  process.env[serversVariable] = servers
  process.env["TMPDIR"] = temporary
  const remove = () => {
    // Processes that end now still write to their cache.
    for (const folder of [temporary, join(home, name)]) rmSync(folder, { recursive: true, force: true, ...patiently })
  }
  // Also where a signal ends the run, which waits for nothing.
  process.once("exit", remove)
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    remove()
  }
}
