import { Effect, Layer } from "effect"
import { Archives } from "../services/archives/Archives.ts"
import { Artifacts } from "../services/artifacts/Artifacts.ts"
import { BlobSweep } from "../services/blobs/BlobSweep.ts"
import { ChannelFolders } from "../services/channels/ChannelFolders.ts"
import { Channels } from "../services/channels/Channels.ts"
import * as JobEntity from "../services/channels/JobEntity.ts"
import { JobKeeper } from "../services/channels/JobKeeper.ts"
import { Documentation } from "../services/documentation/Documentation.ts"
import * as ExecutionEntity from "../services/executions/ExecutionEntity.ts"
import { Executions } from "../services/executions/Executions.ts"
import * as ExecutionPatrol from "../services/executions/Patrol.ts"
import { Supervisor } from "../services/executions/Supervisor.ts"
import { Extraction } from "../services/extraction/Extraction.ts"
import { Flowlines } from "../services/flowlines/Flowlines.ts"
import { Draining } from "../services/http/Draining.ts"
import { Operators } from "../services/operators/Operators.ts"
import { TenantPatterns } from "../services/operators/TenantPatterns.ts"
import { Platform } from "../services/platform/Platform.ts"
import { Registry } from "../services/registry/Registry.ts"
import { Resources } from "../services/resources/Resources.ts"
import { Gateway } from "../services/runs/Gateway.ts"
import { Provision } from "../services/runs/Provision.ts"
import * as StoredReferences from "../services/runs/StoredReferences.ts"
import { Scan } from "../services/scan/Scan.ts"
import { Searches } from "../services/search/Searches.ts"
import { Readiness } from "../services/shared/Readiness.ts"
import * as DataArea from "./blobs/DataArea.ts"
import * as Cluster from "./cluster/Memory.ts"
import * as DiskConf from "./conf/Disk.ts"
import * as PlatformFile from "./conf/PlatformFile.ts"
import * as DiskTenants from "./conf/Tenants.ts"
import * as Decoder from "./decoder/InProcess.ts"
import * as Folders from "./documentation/Folders.ts"
import * as Markdown from "./documentation/Markdown.ts"
import * as StreamHash from "./files/StreamHash.ts"
import * as ArchiveStore from "./memory/ArchiveStore.ts"
import * as ArtifactStore from "./memory/ArtifactStore.ts"
import * as MemoryBlobs from "./memory/Blobs.ts"
import * as MemoryEngine from "./memory/Engine.ts"
import * as ExecutionStore from "./memory/ExecutionStore.ts"
import * as FlowlineStore from "./memory/FlowlineStore.ts"
import * as IdempotencyStore from "./memory/IdempotencyStore.ts"
import * as JobStore from "./memory/JobStore.ts"
import * as PositionStore from "./memory/PositionStore.ts"
import * as RegistryStore from "./memory/RegistryStore.ts"
import * as ResourceStore from "./memory/ResourceStore.ts"
import { Shelves } from "./memory/Resources.ts"
import * as PatternFiles from "./operators/PatternFiles.ts"
import * as OperatorPool from "./operators/Pool.ts"
import * as TenantNodes from "./python/TenantNodes.ts"
import * as MemorySearch from "./search/Memory.ts"

const Adapters = Layer.mergeAll(
  FlowlineStore.layer,
  ExecutionStore.layer,
  Layer.provideMerge(JobStore.layer, PositionStore.layer),
  ArchiveStore.layer,
  ArtifactStore.layer,
  ResourceStore.layer,
  RegistryStore.layer,
  DataArea.layer,
  StreamHash.layer,
  IdempotencyStore.layer,
  Layer.succeed(Gateway, { id: "memory", name: "memory", address: "memory:0" }),
  MemoryEngine.layer,
  Decoder.layer,
  OperatorPool.layer,
  PatternFiles.layer,
  DiskConf.layer,
  Folders.layer,
  Markdown.layer,
  DiskTenants.layer,
  PlatformFile.layer,
  Layer.succeed(Readiness, { checks: new Map([["memory", Effect.void]]) })
).pipe(Layer.provideMerge(Layer.mergeAll(MemoryBlobs.layer, Shelves.layer, MemorySearch.layer)))

/** The cluster comes after what it runs, and so goes before it. */
const Entities = Layer.mergeAll(ExecutionPatrol.layer, JobEntity.layer, ExecutionEntity.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(JobEntity.Jobs.layer, ExecutionEntity.Launcher.layer)),
  Layer.provideMerge(Layer.unwrap(Effect.as(Effect.all([JobKeeper, Supervisor]), Cluster.layer))),
  Layer.provideMerge(Layer.mergeAll(JobKeeper.layer, Supervisor.layer)),
  Layer.provideMerge(Layer.mergeAll(ChannelFolders.layer, Provision.layer))
)

/** The services without PostgreSQL, a disk for blobs, or child processes: for tests of everything else. */
export const layer = Layer.mergeAll(Draining.layer, Operators.layer, Extraction.layer, Searches.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Channels.layer, Layer.provideMerge(Executions.starter, Executions.layer))),
  Layer.provideMerge(Entities),
  Layer.provideMerge(
    Layer.mergeAll(
      Flowlines.layer,
      Archives.layer,
      Artifacts.layer,
      Resources.layer,
      Registry.layer,
      StoredReferences.layer
    )
  ),
  Layer.provideMerge(
    Layer.mergeAll(Platform.layer, Documentation.layer, Scan.layer, TenantPatterns.layer, BlobSweep.layer())
  ),
  Layer.provideMerge(TenantNodes.layer),
  Layer.provideMerge(Adapters)
)
