import { Effect, Layer } from "effect"
import { Archives } from "../services/archives/Archives.ts"
import { BlobSweep } from "../services/blobs/BlobSweep.ts"
import { Documentation } from "../services/documentation/Documentation.ts"
import { Executions } from "../services/executions/Executions.ts"
import { Gateway } from "../services/executions/Gateway.ts"
import { Supervisor } from "../services/executions/Supervisor.ts"
import { Flowlines } from "../services/flowlines/Flowlines.ts"
import { Operators } from "../services/operators/Operators.ts"
import { Platform } from "../services/platform/Platform.ts"
import { Scan } from "../services/scan/Scan.ts"
import { Draining } from "../services/shared/Draining.ts"
import { Readiness } from "../services/shared/Readiness.ts"
import * as DiskConf from "./conf/Disk.ts"
import * as PlatformFile from "./conf/PlatformFile.ts"
import * as DiskTenants from "./conf/Tenants.ts"
import * as Decoder from "./decoder/InProcess.ts"
import * as Folders from "./documentation/Folders.ts"
import * as Markdown from "./documentation/Markdown.ts"
import * as NoReferences from "./engines/NoReferences.ts"
import * as ArchiveStore from "./memory/ArchiveStore.ts"
import * as MemoryBlobs from "./memory/Blobs.ts"
import * as MemoryEngine from "./memory/Engine.ts"
import * as ExecutionStore from "./memory/ExecutionStore.ts"
import * as FlowlineStore from "./memory/FlowlineStore.ts"
import * as IdempotencyStore from "./memory/IdempotencyStore.ts"
import * as OperatorPool from "./operators/Pool.ts"
import * as TenantNodes from "./python/TenantNodes.ts"

const Adapters = Layer.mergeAll(
  FlowlineStore.layer,
  ExecutionStore.layer,
  ArchiveStore.layer,
  IdempotencyStore.layer,
  NoReferences.layer,
  Layer.succeed(Gateway, { id: "memory" }),
  MemoryEngine.layer,
  Decoder.layer,
  OperatorPool.layer,
  DiskConf.layer,
  Folders.layer,
  TenantNodes.layer,
  Markdown.layer,
  DiskTenants.layer,
  PlatformFile.layer,
  Layer.succeed(Readiness, { checks: new Map([["memory", Effect.void]]) })
).pipe(Layer.provideMerge(MemoryBlobs.layer))

/** The services without PostgreSQL, a disk for blobs, or child processes: for tests of everything else. */
export const layer = Layer.mergeAll(Draining.layer, Executions.layer, Operators.layer).pipe(
  Layer.provideMerge(Supervisor.layer),
  Layer.provideMerge(Layer.mergeAll(Flowlines.layer, Archives.layer)),
  Layer.provideMerge(Layer.mergeAll(Platform.layer, Documentation.layer, Scan.layer, BlobSweep.layer())),
  Layer.provideMerge(Adapters)
)
