import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Blobs } from "../drivers/blobs/Blobs.ts"
import * as BlobsAt from "../drivers/blobs/BlobsAt.ts"
import { ConnectionPools } from "../drivers/postgres/ConnectionPools.ts"
import { postgresHealth } from "../drivers/postgres/Unreachable.ts"
import * as PostgresSearch from "../drivers/search/PostgresSearch.ts"
import { availableMemory, usualWork } from "../drivers/UsualWork.ts"
import * as AccessAudit from "../services/access/AccessAudit.ts"
import { AccessRules } from "../services/access/AccessRules.ts"
import * as HeadLog from "../services/audit/HeadLog.ts"
import * as BlobCheck from "../services/blobs/BlobCheck.ts"
import { BlobLedger as Ledger } from "../services/blobs/BlobLedger.ts"
import { BlobSweep } from "../services/blobs/BlobSweep.ts"
import * as JobRecovery from "../services/channels/JobRecovery.ts"
import { pendingMeasurement } from "../services/executions/PendingMetrics.ts"
import { FormMemoryLimit } from "../services/operators/Admission.ts"
import * as Retention from "../services/retention/Retention.ts"
import * as Ticker from "../services/schedules/Ticker.ts"
import * as SecretRotation from "../services/secrets/SecretRotation.ts"
import * as Secrets from "../services/secrets/SecretStore.ts"
import { inBackground } from "../services/shared/process/Background.ts"
import { Measurements, takeMeasurements } from "../services/shared/process/ObservableMetrics.ts"
import { OwnPorts } from "../services/shared/process/OwnPorts.ts"
import { dataRoot, Settings } from "../services/shared/settings/Settings.ts"
import { Tenants } from "../services/shared/Tenant.ts"
import * as Access from "./access/Access.ts"
import * as BoundBlobs from "./blobs/BoundBlobs.ts"
import * as Cluster from "./cluster/GatewayCluster.ts"
import { diskMeasurements } from "./DiskMetrics.ts"
import * as Decoder from "./decoder/DecoderThreads.ts"
import { EngineConfig } from "./engine/EngineConfig.ts"
import * as LocalEngine from "./engine/LocalEngine.ts"
import { Readiness } from "./http/endpoints/Readiness.ts"
import * as RunPlaces from "./isolation/RunPlaces.ts"
import * as Local from "./Local.ts"
import * as ProcessMetrics from "./ProcessMetrics.ts"
import { Departures } from "./postgres/gateways/Departures.ts"
import * as Gateways from "./postgres/gateways/Gateways.ts"
import * as Heartbeats from "./postgres/gateways/Heartbeats.ts"
import * as GatewayList from "./postgres/gateways/PostgresGatewayList.ts"
import * as Postgres from "./postgres/Postgres.ts"
import * as ScheduleClock from "./postgres/PostgresClock.ts"
import * as ArchiveStore from "./postgres/stores/PostgresArchiveStore.ts"
import * as ArtifactStore from "./postgres/stores/PostgresArtifactStore.ts"
import * as AuditStore from "./postgres/stores/PostgresAuditStore.ts"
import * as BlobLedger from "./postgres/stores/PostgresBlobLedger.ts"
import * as ExecutionStore from "./postgres/stores/PostgresExecutionStore.ts"
import * as FlowlineStore from "./postgres/stores/PostgresFlowlineStore.ts"
import * as IdempotencyStore from "./postgres/stores/PostgresIdempotencyStore.ts"
import * as JobStore from "./postgres/stores/PostgresJobStore.ts"
import * as KeyStore from "./postgres/stores/PostgresKeyStore.ts"
import * as PositionStore from "./postgres/stores/PostgresPositionStore.ts"
import * as RateStore from "./postgres/stores/PostgresRateStore.ts"
import * as RegistryStore from "./postgres/stores/PostgresRegistryStore.ts"
import * as ResourceStore from "./postgres/stores/PostgresResourceStore.ts"
import * as RetentionStore from "./postgres/stores/PostgresRetentionStore.ts"
import * as ScheduleStore from "./postgres/stores/PostgresScheduleStore.ts"
import * as SecretStore from "./postgres/stores/PostgresSecretStore.ts"
import * as SessionStore from "./postgres/stores/PostgresSessionStore.ts"
import * as UsageStore from "./postgres/stores/PostgresUsageStore.ts"
import * as TenantNodes from "./python/PythonNodes.ts"
import * as Places from "./python/PythonPlaces.ts"
import * as SecretFiles from "./secrets/SecretFiles.ts"
import * as SecretKeys from "./secrets/SecretKeys.ts"
import { useCases } from "./UseCases.ts"

const Database = Layer.unwrap(Effect.map(Settings, ({ databaseUrl, data }) => Postgres.layer(databaseUrl, data)))

/** The ports of the gateway, of its cluster and of its embedded database. */
const Ports = Layer.effect(
  OwnPorts,
  Effect.gen(function* () {
    const { port, cluster, databaseUrl } = yield* Settings
    const { config } = yield* Postgres.WideSql
    const database = databaseUrl === undefined && config.url !== undefined ? Redacted.value(config.url) : undefined
    const others = [
      cluster && Number(cluster.slice(cluster.lastIndexOf(":") + 1)),
      database && Number(new URL(database).port)
    ]
    return OwnPorts.from([port, ...others].filter((one) => typeof one === "number"))
  })
)

const Bytes = Layer.unwrap(
  Effect.map(Settings, ({ blobs, blobsAdopt, storageDeadline }) =>
    BoundBlobs.layer(blobsAdopt).pipe(Layer.provide(BlobsAt.layer(blobs, storageDeadline)))
  )
).pipe(Layer.provideMerge(BlobLedger.layer))

const ThisGateway = Layer.unwrap(
  Effect.map(Settings, ({ databaseUrl, cluster }) => Gateways.layer(databaseUrl === undefined, cluster))
)

/** Limit of the spare processes for runs that this gateway may take over: each holds about 30 MiB of its own. */
const mostSpares = 4

const Runs = LocalEngine.layer.pipe(
  Layer.provide(
    Layer.effect(
      EngineConfig,
      Effect.gen(function* () {
        const settings = yield* Settings
        const { config } = yield* Postgres.WideSql
        const { signs } = yield* Heartbeats.Heartbeats
        const { mostRuns } = yield* Departures
        const python = yield* Places.PythonPlaces
        const runPlaces = yield* RunPlaces.RunPlaces
        const ownPorts = yield* OwnPorts
        return EngineConfig.settings({
          ...(config.url === undefined ? {} : { search: { url: config.url, connections: 1 } }),
          searchConnections: settings.runConnections,
          confRoot: settings.conf,
          dataRoot: dataRoot(settings),
          tempRoot: join(settings.data, "tmp"),
          blobs: settings.blobs,
          outputLines: settings.outputLines,
          ceilings: settings.ceilings,
          outbound: settings.outbound,
          ownPorts: ownPorts.all,
          python: python.place,
          isolation: runPlaces.isolation,
          lifeSigns: settings.cluster === undefined ? undefined : signs,
          spares: settings.role === "api" ? undefined : () => Math.min(mostRuns(), mostSpares)
        })
      })
    )
  ),
  Layer.provide(ThisGateway)
)

/** With an embedded database nobody else can take over. */
const Signs = Layer.unwrap(Effect.map(Settings, ({ databaseUrl }) => Heartbeats.layer(databaseUrl)))

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
  Layer.provide(RetentionStore.layer, ArtifactStore.layer),
  FlowlineStore.layer,
  ExecutionStore.layer,
  PositionStore.layer,
  JobStore.layer,
  ScheduleClock.layer,
  Layer.provide(GatewayList.layer, ThisGateway),
  ArchiveStore.layer,
  AuditStore.layer,
  ArtifactStore.layer,
  ResourceStore.layer,
  RegistryStore.layer,
  RateStore.layer,
  UsageStore.layer,
  ScheduleStore.layer,
  KeyStore.layer,
  SessionStore.layer,
  Layer.provide(IdempotencyStore.layer, ThisGateway),
  SecretStore.layer.pipe(Layer.provideMerge(SecretKeys.layer)),
  ThisGateway,
  Bytes,
  Runs,
  Documents,
  Decoder.layer,
  Layer.succeed(FormMemoryLimit, usualWork(availableMemory()).testFormBytes),
  Local.layer
).pipe(Layer.provideMerge(Ports), Layer.provideMerge(Signs), Layer.provideMerge(Database))

const Ready = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const blobs = yield* Blobs
    const tenants = yield* Tenants
    const ledger = yield* Ledger
    const pools = yield* ConnectionPools
    const access = yield* AccessRules
    const secrets = yield* Secrets.SecretStore
    const keys = yield* SecretKeys.SecretKeys
    const python = yield* Places.PythonPlaces
    const runPlaces = yield* RunPlaces.RunPlaces
    const connections = Effect.suspend(() => (pools.exhausted.length === 0 ? Effect.void : Effect.fail("exhausted")))
    return Readiness.of({
      isolation: () => {
        const place = python.state()
        if (place === undefined) void python.place()
        if (runPlaces.state() === undefined) void runPlaces.isolation()
        return {
          python: place === undefined ? undefined : (place.isolation?.parts ?? []),
          runs: runPlaces.state()?.parts
        }
      },
      defects: new Map([
        ["damagedBlobs", Effect.map(ledger.damaged, (all) => all.length)],
        ["accessFile", Effect.sync(() => (access.faulty() ? 1 : 0))],
        ["secretsWithoutKey", Effect.map(secrets.keyUse, (counts) => counts.get("missing") ?? 0)],
        ["secretKeyFile", Effect.map(keys.fault, (fault) => (fault === undefined ? 0 : 1))]
      ]),
      checks: new Map<string, Effect.Effect<unknown, unknown>>([
        ["metadata", Effect.provideService(postgresHealth, SqlClient.SqlClient, sql)],
        ["data", blobs.health],
        ["configuration", tenants.names],
        ["connections", connections]
      ])
    })
  })
)

const Check = Layer.unwrap(
  Effect.map(Settings, ({ checkRate, checkDays }) =>
    BlobCheck.layer({ bytesPerSecond: checkRate, every: `${checkDays} days`, pause: "10 seconds" })
  )
)

/** Metrics that are measured when someone reads them, and every ten seconds if they are sent to an OTLP receiver. */
const Measured = Layer.effect(
  Measurements,
  Effect.gen(function* () {
    const settings = yield* Settings
    const measurements = Measurements.of([
      yield* pendingMeasurement,
      yield* SecretRotation.keyUseMeasurement,
      ...diskMeasurements(settings)
    ])
    if (settings.otlp !== undefined) {
      yield* inBackground("The measurements", takeMeasurements(measurements), "10 seconds")
    }
    return measurements
  })
)

/** Background work: removes unused blobs and old history, checks the other blobs, and hands jobs without a keeper to the cluster. */
const Upkeep = Layer.mergeAll(
  Ready,
  Measured,
  ProcessMetrics.layer,
  BlobSweep.schedule(),
  Check,
  JobRecovery.layer,
  Ticker.layer,
  Retention.schedule(),
  HeadLog.schedule(),
  AccessAudit.layer,
  Layer.unwrap(Effect.map(SecretKeys.SecretKeys, ({ changes }) => SecretRotation.layer(changes)))
)

/** The gateway; the layer that it needs decides who may do what. */
export const onAccess = Upkeep.pipe(
  Layer.provideMerge(useCases(Cluster.layer)),
  Layer.provideMerge(Layer.mergeAll(TenantNodes.layer, SecretFiles.layer)),
  Layer.provideMerge(Adapters),
  Layer.provideMerge(RunPlaces.layer),
  Layer.provideMerge(Places.layer)
)

export const layer = Access.authenticator.pipe(Layer.provideMerge(onAccess), Layer.provideMerge(Access.rules))
