import { Effect, Exit, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { startTestServer } from "./postgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL that all test files of this run share; `TestPostgres` makes a database in it. */
    postgresUrl: string
  }
}

/** Starts one PostgreSQL for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = await Effect.runPromise(Scope.make())
  const url = await Effect.runPromise(Scope.provide(startTestServer, scope))
  project.provide("postgresUrl", Redacted.value(url))
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
