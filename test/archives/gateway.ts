import { createServer } from "node:http"
import { join } from "node:path"
import { NodeHttpServer } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as Disk from "../../src/drivers/blobs/disk/DiskBlobs.ts"
import * as Anonymous from "../../src/layers/access/Anonymous.ts"
import * as Answers from "../../src/layers/http/Answers.ts"
import * as KnownTenant from "../../src/layers/http/guards/KnownTenant.ts"
import * as RequestDecoding from "../../src/layers/http/guards/RequestDecoding.ts"
import { routeTable } from "../../src/layers/http/routes/RouteTable.ts"
import { ArchivesApi } from "../../src/services/archives/Api.ts"
import { ArchiveId } from "../../src/services/archives/Archive.ts"
import type { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { Archives } from "../../src/services/archives/Archives.ts"
import { ArchivesHttp } from "../../src/services/archives/Http.ts"
import { BlobSweep } from "../../src/services/blobs/BlobSweep.ts"
import { RequestMemory } from "../../src/services/shared/capacity/RequestMemory.ts"
import { CoalescedReads } from "../../src/services/shared/reads/CoalescedReads.ts"
import { TenantId, Tenants } from "../../src/services/shared/Tenant.ts"
import { cut } from "../blobs/bytes.ts"
import { scratch } from "../blobs/folder.ts"
import { AddArchive } from "../memory/ArchiveStore.ts"
import { auditing } from "../memory/Audit.ts"
import * as MemoryLedger from "../memory/BlobLedger.ts"
import { testSettings } from "../support/gateway.ts"
import { open } from "../support/open.ts"

/** Where the test's blobs lie. */
export class Folder extends Context.Service<Folder, string>()("test/Folder") {}
export const folder = Layer.effect(
  Folder,
  Effect.map(scratch, (path) => join(path, "blobs"))
)
export const disk = Disk.layer.pipe(
  Layer.provide(Layer.unwrap(Effect.map(Folder, (root) => Disk.DiskConfig.layer(root))))
)

const tenants = Layer.succeed(
  Tenants,
  Tenants.of({
    exists: (name) => Effect.succeed(["one", "two"].includes(name)),
    names: Effect.succeed([TenantId("one"), TenantId("two")])
  })
)

// The archives alone, of the same API, on a real server.
class ArchivesOnly extends HttpApi.make("flow-gateway").add(ArchivesApi) {}
const routes = Layer.mergeAll(
  HttpApiBuilder.layer(ArchivesOnly).pipe(
    Layer.provide(ArchivesHttp),
    Layer.provide([KnownTenant.layer, RequestDecoding.layer, open])
  ),
  Layer.provide(Answers.layer(routeTable(ArchivesOnly, [])), Anonymous.layer)
)

export const gateway = <A, E1, R1, E2, R2>(
  store: Layer.Layer<ArchiveStore | A, E1, R1>,
  blobs: Layer.Layer<Blobs, E2, R2>
) =>
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(Archives.layer),
    Layer.provide([BlobSweep.layer(), CoalescedReads.layer, RequestMemory.layer]),
    Layer.provide([MemoryLedger.layer, auditing]),
    Layer.provideMerge([store, blobs, tenants]),
    Layer.provide(testSettings({ databaseUrl: "postgres://unused" })),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )

export const origin = Effect.map(HttpServer.HttpServer, ({ address }) => {
  assert(address._tag === "InetAddressV4")
  return `http://127.0.0.1:${address.port}`
})
export const send = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const base = yield* origin
  return yield* Effect.promise(() => fetch(base + path, { ...init, redirect: "error" }))
})
export const bytesOf = (response: Response) => Effect.promise(async () => Buffer.from(await response.arrayBuffer()))
export const jsonOf = (response: Response) => Effect.promise(async (): Promise<unknown> => response.json())

export const add = Effect.fnUntraced(function* (id: string, bytes: Uint8Array, tenant = "one") {
  const addArchive = yield* AddArchive
  const blob = yield* Effect.flatMap(Blobs, (blobs) => blobs.write(tenant, cut(bytes)))
  yield* addArchive(TenantId(tenant), { ...blob, id: ArchiveId(id), flowlineId: "f", entries: 2 })
})
