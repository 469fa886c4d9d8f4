import { Effect, Layer } from "effect"
import * as Access from "../../src/layers/access/Access.ts"
import { Readiness } from "../../src/layers/http/endpoints/Readiness.ts"
import * as Local from "../../src/layers/Local.ts"
import * as TenantNodes from "../../src/layers/python/PythonNodes.ts"
import * as PythonPlaces from "../../src/layers/python/PythonPlaces.ts"
import * as SecretFiles from "../../src/layers/secrets/SecretFiles.ts"
import { useCases } from "../../src/layers/UseCases.ts"
import { GatewayList } from "../../src/services/platform/Installation.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { ScheduleStore } from "../../src/services/schedules/ScheduleStore.ts"
import { Measurements } from "../../src/services/shared/process/ObservableMetrics.ts"
import { OwnPorts } from "../../src/services/shared/process/OwnPorts.ts"
import * as ArchiveStore from "./ArchiveStore.ts"
import * as ArtifactStore from "./ArtifactStore.ts"
import * as AuditStore from "./Audit.ts"
import * as MemoryLedger from "./BlobLedger.ts"
import * as MemoryBlobs from "./Blobs.ts"
import * as Cluster from "./Cluster.ts"
import * as Decoder from "./Decoder.ts"
import * as MemoryEngine from "./Engine.ts"
import * as ExecutionStore from "./ExecutionStore.ts"
import * as FlowlineStore from "./FlowlineStore.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import * as JobStore from "./JobStore.ts"
import * as KeyStore from "./KeyStore.ts"
import * as PositionStore from "./PositionStore.ts"
import * as RateStore from "./RateStore.ts"
import * as RegistryStore from "./RegistryStore.ts"
import * as ResourceStore from "./ResourceStore.ts"
import { Shelves } from "./Resources.ts"
import * as ScheduleClock from "./ScheduleClock.ts"
import * as MemorySearch from "./Search.ts"
import * as SecretStore from "./SecretStore.ts"
import * as SessionStore from "./SessionStore.ts"
import * as UsageStore from "./UsageStore.ts"

const Adapters = Layer.mergeAll(
  FlowlineStore.layer,
  RateStore.layer,
  UsageStore.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ExecutionStore.layer, JobStore.layer)),
    Layer.provideMerge(Layer.mergeAll(PositionStore.layer, ArchiveStore.layer))
  ),
  ScheduleClock.layer,
  Layer.provideMerge(ArtifactStore.layer, AuditStore.layer),
  ResourceStore.layer,
  RegistryStore.layer,
  KeyStore.layer,
  SessionStore.layer,
  IdempotencyStore.layer,
  SecretStore.layer,
  // Schedules live in the database: their tests use the real one.
  Layer.mock(ScheduleStore)({}),
  Layer.succeed(GatewayList, { all: Effect.succeed([]) }),
  Layer.succeed(Gateway, { id: "memory", name: "memory", address: "memory:0" }),
  MemoryEngine.layer,
  Decoder.layer,
  Local.layer,
  Layer.succeed(Measurements, []),
  Layer.sync(OwnPorts, () => OwnPorts.from([])),
  Layer.succeed(Readiness, { checks: new Map([["memory", Effect.void]]), defects: new Map() })
).pipe(Layer.provideMerge(Layer.mergeAll(MemoryBlobs.layer, MemoryLedger.layer, Shelves.layer, MemorySearch.layer)))

/** The services without PostgreSQL, blobs on disk or child processes, for tests of everything else. */
export const layer = Access.authenticator.pipe(
  Layer.provideMerge(useCases(Cluster.layer)),
  Layer.provideMerge(Layer.mergeAll(Layer.provide(TenantNodes.layer, PythonPlaces.layer), SecretFiles.layer)),
  Layer.provideMerge(Adapters),
  Layer.provideMerge(Access.rules)
)
