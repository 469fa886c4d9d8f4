import { Effect, Layer } from "effect"
import * as Anonymous from "../../src/layers/access/Anonymous.ts"
import * as Local from "../../src/layers/Local.ts"
import * as TenantNodes from "../../src/layers/python/PythonNodes.ts"
import * as PythonPlaces from "../../src/layers/python/PythonPlaces.ts"
import { useCases } from "../../src/layers/UseCases.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { Measurements } from "../../src/services/shared/Observed.ts"
import { Readiness } from "../../src/services/shared/Readiness.ts"
import * as ArchiveStore from "./ArchiveStore.ts"
import * as ArtifactStore from "./ArtifactStore.ts"
import * as MemoryLedger from "./BlobLedger.ts"
import * as MemoryBlobs from "./Blobs.ts"
import * as Cluster from "./Cluster.ts"
import * as Decoder from "./Decoder.ts"
import * as MemoryEngine from "./Engine.ts"
import * as ExecutionStore from "./ExecutionStore.ts"
import * as FlowlineStore from "./FlowlineStore.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import * as JobStore from "./JobStore.ts"
import * as PositionStore from "./PositionStore.ts"
import * as RegistryStore from "./RegistryStore.ts"
import * as ResourceStore from "./ResourceStore.ts"
import { Shelves } from "./Resources.ts"
import * as ScheduleClock from "./ScheduleClock.ts"
import * as MemorySearch from "./Search.ts"

const Adapters = Layer.mergeAll(
  FlowlineStore.layer,
  Layer.mergeAll(ExecutionStore.layer, JobStore.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(PositionStore.layer, ArchiveStore.layer))
  ),
  ScheduleClock.layer,
  ArtifactStore.layer,
  ResourceStore.layer,
  RegistryStore.layer,
  IdempotencyStore.layer,
  Layer.succeed(Gateway, { id: "memory", name: "memory", address: "memory:0" }),
  MemoryEngine.layer,
  Decoder.layer,
  Local.layer,
  Layer.succeed(Measurements, []),
  Layer.succeed(Readiness, { checks: new Map([["memory", Effect.void]]), defects: new Map() })
).pipe(Layer.provideMerge(Layer.mergeAll(MemoryBlobs.layer, MemoryLedger.layer, Shelves.layer, MemorySearch.layer)))

/** The services without PostgreSQL, a disk for blobs, or child processes: for tests of everything else. */
export const layer = useCases(Cluster.layer).pipe(
  Layer.provideMerge(Layer.provide(TenantNodes.layer, PythonPlaces.layer)),
  Layer.provideMerge(Adapters),
  Layer.provideMerge(Anonymous.layer)
)
