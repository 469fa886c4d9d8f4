import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { startTestServer } from "./postgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL that all test files of this run share; `TestPostgres` makes a database in it. */
    postgresUrl: string
  }
}

const programs = ["gateway", "run/Run", "run/stream/Pipeline", "drivers/blobs/BlobsAt"]

/** Compiles the product once for all processes that the tests start: half of what such a process takes to begin. */
const compile = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "flow-compiled-"))
  process.env["NODE_COMPILE_CACHE"] = folder
  const imports = programs.map(
    (program) => `import ${JSON.stringify(new URL(`../../src/${program}.ts`, import.meta.url))}`
  )
  const child = spawn(process.execPath, ["--input-type=module", "-e", `${imports.join("\n")}\nprocess.exit()`])
  await once(child, "close")
  return folder
}

/** Starts one PostgreSQL for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = await Effect.runPromise(Scope.make())
  const compiled = await compile()
  const url = await Effect.runPromise(Scope.provide(startTestServer, scope))
  project.provide("postgresUrl", Redacted.value(url))
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(compiled, { recursive: true, force: true })
  }
}
