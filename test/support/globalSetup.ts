import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Exit, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { bundle, refresh } from "../../scripts/bundle.ts"
import { packagePath } from "../../src/drivers/Package.ts"
import { processName } from "../../src/drivers/ProcessName.ts"
import { bundles } from "../../src/drivers/Programs.ts"
import { startTestServer } from "./postgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL that all test files of this run share. `TestPostgres` creates databases in it. */
    postgresUrl: string
  }
}

/**
 * Bundles the programs that the tests start, as `npm start` does. All of them share a cache of compiled code, which the
 * first instance of each fills.
 */
const prepare = async (): Promise<string> => {
  await refresh()
  const folder = mkdtempSync(join(tmpdir(), "flow-compiled-"))
  process.env["NODE_COMPILE_CACHE"] = folder
  return folder
}

/** Starts one PostgreSQL for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = await Effect.runPromise(Scope.make())
  const compiled = await prepare()
  const home = packagePath(bundles.folder)
  // The next bundling removes it if this run is killed.
  const name = `tests-${processName}`
  await bundle(home, name, { entry: fileURLToPath(new URL("../engine/entry.ts", import.meta.url)) })
  process.env["TEST_ENGINE_ENTRY"] = join(home, name, "entry.js")
  const url = await Effect.runPromise(Scope.provide(startTestServer, scope))
  project.provide("postgresUrl", Redacted.value(url))
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    for (const folder of [compiled, join(home, name)]) rmSync(folder, { recursive: true, force: true })
  }
}
