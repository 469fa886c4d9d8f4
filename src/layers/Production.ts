import { join } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Blobs } from "../drivers/blobs/Blobs.ts"
import * as BlobsAt from "../drivers/blobs/BlobsAt.ts"
import { postgresHealth } from "../drivers/postgres/Unreachable.ts"
import * as PostgresSearch from "../drivers/search/PostgresSearch.ts"
import { BlobSweep } from "../services/blobs/BlobSweep.ts"
import * as JobRecovery from "../services/channels/JobRecovery.ts"
import { Readiness } from "../services/shared/Readiness.ts"
import { dataRoot, Settings } from "../services/shared/Settings.ts"
import { Tenants } from "../services/shared/Tenant.ts"
import * as Cluster from "./cluster/GatewayCluster.ts"
import * as Decoder from "./decoder/DecoderThreads.ts"
import { EngineConfig } from "./engine/EngineConfig.ts"
import * as LocalEngine from "./engine/LocalEngine.ts"
import * as Local from "./Local.ts"
import * as Gateways from "./postgres/Gateways.ts"
import * as Postgres from "./postgres/Postgres.ts"
import * as ArchiveStore from "./postgres/PostgresArchiveStore.ts"
import * as ArtifactStore from "./postgres/PostgresArtifactStore.ts"
import { PostgresConfig } from "./postgres/PostgresConfig.ts"
import * as ExecutionStore from "./postgres/PostgresExecutionStore.ts"
import * as FlowlineStore from "./postgres/PostgresFlowlineStore.ts"
import * as IdempotencyStore from "./postgres/PostgresIdempotencyStore.ts"
import * as JobStore from "./postgres/PostgresJobStore.ts"
import * as PositionStore from "./postgres/PostgresPositionStore.ts"
import * as RegistryStore from "./postgres/PostgresRegistryStore.ts"
import * as ResourceStore from "./postgres/PostgresResourceStore.ts"
import * as TenantNodes from "./python/PythonNodes.ts"
import { useCases } from "./UseCases.ts"

const Database = Postgres.layer.pipe(
  Layer.provide(
    Layer.effect(
      PostgresConfig,
      Effect.map(Settings, ({ databaseUrl, data }) => ({
        databaseUrl: Option.map(Option.fromUndefinedOr(databaseUrl), (url) => Redacted.make(url)),
        dataFolder: data
      }))
    )
  )
)

const Bytes = Layer.unwrap(Effect.map(Settings, ({ blobs, storageDeadline }) => BlobsAt.layer(blobs, storageDeadline)))

const Runs = LocalEngine.layer.pipe(
  Layer.provide(
    Layer.effect(
      EngineConfig,
      Effect.map(Effect.all([Settings, Postgres.WideSql]), ([settings, { config }]) =>
        EngineConfig.settings({
          ...(config.url === undefined ? {} : { search: { url: config.url, connections: 3 } }),
          confRoot: settings.conf,
          dataRoot: dataRoot(settings),
          tempRoot: join(settings.data, "tmp"),
          blobs: settings.blobs,
          outputLines: settings.outputLines,
          outbound: settings.outbound,
          lifeSigns: settings.cluster !== undefined
        })
      )
    )
  )
)

const ThisGateway = Layer.unwrap(
  Effect.map(Settings, ({ databaseUrl, cluster }) => Gateways.layer(databaseUrl === undefined, cluster))
)

const Documents = PostgresSearch.layer.pipe(
  Layer.provide(
    Layer.effect(
      PostgresSearch.SearchConfig,
      Effect.flatMap(Postgres.WideSql, ({ config }) =>
        config.url === undefined ? Effect.die("no address") : Effect.succeed({ url: config.url, connections: 6 })
      )
    )
  )
)

/** The ports with their production adapters. */
const Adapters = Layer.mergeAll(
  FlowlineStore.layer,
  ExecutionStore.layer,
  PositionStore.layer,
  JobStore.layer,
  ArchiveStore.layer,
  ArtifactStore.layer,
  ResourceStore.layer,
  RegistryStore.layer,
  IdempotencyStore.layer,
  ThisGateway,
  Bytes,
  Runs,
  Documents,
  Decoder.layer,
  Local.layer
).pipe(Layer.provideMerge(Database))

const Ready = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const blobs = yield* Blobs
    const tenants = yield* Tenants
    return Readiness.of({
      checks: new Map<string, Effect.Effect<unknown, unknown>>([
        ["metadata", Effect.provideService(postgresHealth, SqlClient.SqlClient, sql)],
        ["data", blobs.health],
        ["configuration", tenants.names]
      ])
    })
  })
)

/** Background work: removes unused blobs, and hands jobs without a keeper to the cluster. */
const Upkeep = Layer.mergeAll(Ready, BlobSweep.schedule(), JobRecovery.layer)

export const layer = Upkeep.pipe(
  Layer.provideMerge(useCases(Cluster.layer)),
  Layer.provideMerge(TenantNodes.layer),
  Layer.provideMerge(Adapters)
)
