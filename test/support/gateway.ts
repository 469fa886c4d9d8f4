import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { layer as sharedLayer, type Vitest } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import * as Client from "../../packages/client/src/FlowGateway.ts"
import { Routes, table } from "../../src/Http.ts"
import * as StoredKeyCheck from "../../src/layers/access/StoredKeyCheck.ts"
import * as StoredLogins from "../../src/layers/access/StoredLogins.ts"
import * as StoredSessions from "../../src/layers/access/StoredSessions.ts"
import { routerConfig } from "../../src/layers/http/routes/RouteTable.ts"
import * as Serve from "../../src/layers/http/Serve.ts"
import * as Production from "../../src/layers/Production.ts"
import type { AccessRules } from "../../src/services/access/AccessRules.ts"
import type { Authenticator } from "../../src/services/access/Authenticator.ts"
import type { TenantRules } from "../../src/services/limits/TenantRules.ts"
import { defaultRules } from "../../src/services/shared/settings/RetentionRules.ts"
import { defaultLimits, Settings } from "../../src/services/shared/settings/Settings.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import * as Memory from "../memory/Memory.ts"
import { holdToDescription } from "./answers.ts"
import { freshDatabase } from "./postgres.ts"
import { until } from "./process.ts"

export const exampleConf = fileURLToPath(new URL("../../examples/conf", import.meta.url))

/** A temporary folder that is removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "flow-test-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A gateway on a free port: its address, typed client and settings. */
export class TestGateway extends Context.Service<
  TestGateway,
  { readonly url: string; readonly client: Client.FlowGateway; readonly settings: Settings["Service"] }
>()("test/TestGateway") {}

/** Settings with a fresh database, a temporary data folder and, by default, the example configuration. */
export const testSettings = (given: Partial<Settings["Service"]> = {}) =>
  Layer.effect(
    Settings,
    Effect.gen(function* () {
      const data = given.data ?? (yield* temporaryFolder)
      return Settings.of({
        host: "127.0.0.1",
        port: 0,
        hosts: [],
        cors: [],
        auth: undefined,
        tls: undefined,
        trustedProxies: [],
        addressConnections: 512,
        secrets: { folder: undefined, keyFile: undefined },
        isolation: "auto",
        runNetwork: true,
        compression: true,
        conf: exampleConf,
        data,
        defaultTenant: TenantId("mytenant"),
        databaseUrl: given.databaseUrl ?? Redacted.value(yield* freshDatabase),
        environment: undefined,
        cluster: undefined,
        role: "all",
        blobs: { kind: "disk", root: join(data, "blobs") },
        blobsAdopt: undefined,
        unusedHours: 0,
        checkRate: 0,
        checkDays: 14,
        logLevel: "none",
        otlp: undefined,
        limits: defaultLimits,
        runs: { all: 16, each: 8 },
        jobs: { all: 32, each: 16 },
        tenantQueue: 1000,
        ceilings: { memoryMib: 4096, seconds: 604_800 },
        outputLines: 100_000,
        roots: {},
        outbound: [],
        quota: { bytes: undefined, entries: undefined },
        retention: defaultRules,
        requestMemory: { all: 512 * 1024 * 1024, each: 256 * 1024 * 1024 },
        sendRate: 1024,
        runConnections: 48,
        uploadRate: 1024,
        storageDeadline: 5000,
        stopPatience: 20_000,
        ...given
      })
    })
  )

/** The routes on the given services: production's, or replacements. */
export const served = <A, E, R>(services: Layer.Layer<A, E, R>) =>
  Layer.effect(
    TestGateway,
    Effect.gen(function* () {
      const settings = yield* Settings
      const url = yield* HttpServer.addressFormattedWith((address: string) => Effect.succeed(address))
      holdToDescription(url)
      const client = yield* Client.make(url)
      return TestGateway.of({ url, client, settings })
    })
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(HttpRouter.serve(Routes, { disableLogger: true, disableListenLog: true, routerConfig })),
    Layer.provide(Serve.layer(table)),
    Layer.provideMerge(services),
    Layer.provide(Logger.layer([]))
  )

/** The real gateway, in this process: PostgreSQL, blobs on disk, runs as child processes. */
export const gateway = (given: Partial<Settings["Service"]> = {}) =>
  served(Production.layer).pipe(Layer.provideMerge(testSettings(given)), Layer.orDie)

const logins = StoredLogins.layer.pipe(
  Layer.provideMerge(Layer.provide(StoredSessions.layer, Layer.fresh(StoredKeyCheck.layer)))
)

/** The same, with the test's rules and principals. */
export const gatewayOn = <E, R>(
  access: Layer.Layer<AccessRules | Authenticator | TenantRules, E, R>,
  given: Partial<Settings["Service"]> = {}
) =>
  served(logins.pipe(Layer.provideMerge(Production.onAccess), Layer.provideMerge(access))).pipe(
    Layer.provideMerge(testSettings(given)),
    Layer.orDie
  )

/** The same routes and use cases with in-memory adapters. */
export const memoryGateway = (given: Partial<Settings["Service"]> = {}) =>
  served(Memory.layer).pipe(
    Layer.provideMerge(testSettings({ databaseUrl: "postgres://unused", ...given })),
    Layer.orDie
  )

/** Runs a suite on both: it must behave the same. */
export const onBoth = (name: string, suite: (it: Vitest.MethodsNonLive<TestGateway>) => void) => {
  sharedLayer(memoryGateway(), { excludeTestServices: true })(`${name} in memory`, suite)
  sharedLayer(gateway(), { excludeTestServices: true })(`${name} on PostgreSQL, disk and processes`, suite)
}

/** A form with a flowline file. */
export const flowlineForm = (text: string, name = "flowline.yaml"): FormData => {
  const form = new FormData()
  form.set("file", new Blob([text]), name)
  return form
}

/** Waits for the end of the execution, and returns its detail. */
export const ended = (tenant: string, flowlineId: string, executionId: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    until(
      client.executions.detail({ params: { tenant, flowlineId, executionId } }),
      ({ state }) => state !== "PENDING" && state !== "RUNNING"
    )
  )

/** A request without the client, for requests that a typed client cannot send. `path` starts with a slash. */
export const raw = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(TestGateway, ({ url }) => Effect.promise(() => fetch(url + path, init)))
