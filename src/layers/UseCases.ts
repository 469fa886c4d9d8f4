import { Effect, Layer } from "effect"
import type * as Sharding from "effect/cluster/Sharding"
import { packageVersion } from "../drivers/Package.ts"
import { Archives } from "../services/archives/Archives.ts"
import { Artifacts } from "../services/artifacts/Artifacts.ts"
import { Audit } from "../services/audit/Audit.ts"
import * as RefusalLog from "../services/audit/RefusalLog.ts"
import { BlobSweep } from "../services/blobs/BlobSweep.ts"
import { ChannelDefinitions } from "../services/channels/ChannelDefinitions.ts"
import { ChannelFolders } from "../services/channels/ChannelFolders.ts"
import { Channels } from "../services/channels/Channels.ts"
import * as JobEntity from "../services/channels/JobEntity.ts"
import { JobKeeper } from "../services/channels/JobKeeper.ts"
import { Documentation } from "../services/documentation/Documentation.ts"
import * as ExecutionRecovery from "../services/executions/ExecutionRecovery.ts"
import { Executions } from "../services/executions/Executions.ts"
import { executionEntity, Launcher } from "../services/executions/Launcher.ts"
import { Supervisor } from "../services/executions/Supervisor.ts"
import { Extraction } from "../services/extraction/Extraction.ts"
import { RunFiles } from "../services/files/RunFiles.ts"
import { Flowlines } from "../services/flowlines/Flowlines.ts"
import { Tries } from "../services/flowlines/tries/Tries.ts"
import { FlowlineVersions } from "../services/flowlines/versions/FlowlineVersions.ts"
import { Keys } from "../services/keys/Keys.ts"
import { LimitRefusals } from "../services/limits/LimitRefusals.ts"
import { LimitUsage } from "../services/limits/LimitUsage.ts"
import { RequestRates } from "../services/limits/RequestRates.ts"
import * as UploadPlaces from "../services/limits/UploadPlaces.ts"
import { UsageCounters } from "../services/limits/UsageCounters.ts"
import { Operators } from "../services/operators/Operators.ts"
import { TenantPatterns } from "../services/operators/TenantPatterns.ts"
import { Installation } from "../services/platform/Installation.ts"
import { Platform } from "../services/platform/Platform.ts"
import { Registry } from "../services/registry/Registry.ts"
import { Resources } from "../services/resources/Resources.ts"
import { RetentionRounds } from "../services/retention/RetentionRounds.ts"
import { Attempts } from "../services/runs/Attempt.ts"
import { Provision } from "../services/runs/Provision.ts"
import { References } from "../services/runs/ResolvedReferences.ts"
import { Scan } from "../services/scan/Scan.ts"
import { Firings } from "../services/schedules/Firings.ts"
import { Hooks } from "../services/schedules/Hooks.ts"
import { Schedules } from "../services/schedules/Schedules.ts"
import { Searches } from "../services/search/Searches.ts"
import { Secrets } from "../services/secrets/Secrets.ts"
import { RequestMemory } from "../services/shared/capacity/RequestMemory.ts"
import { Draining } from "../services/shared/process/Draining.ts"
import { CoalescedReads } from "../services/shared/reads/CoalescedReads.ts"
import { Settings } from "../services/shared/settings/Settings.ts"
import { TenantVariables } from "../services/variables/TenantVariables.ts"

const sweep = Layer.unwrap(Effect.map(Settings, ({ unusedHours }) => BlobSweep.layer("1 hour", `${unusedHours} hours`)))

/**
 * The use cases, merged from the inside out. Production and tests provide the ports, and the cluster that assigns
 * executions and jobs to this process.
 */
export const useCases = <E, R>(cluster: Layer.Layer<Sharding.Sharding, E, R>) => {
  // The cluster is built after the entities that it runs, and so released before them.
  const entities = Layer.mergeAll(ExecutionRecovery.layer, JobEntity.layer, executionEntity).pipe(
    Layer.provideMerge(Layer.mergeAll(JobEntity.Jobs.layer, Launcher.layer)),
    Layer.provideMerge(Layer.unwrap(Effect.as(Effect.all([JobKeeper, Supervisor]), cluster))),
    Layer.provideMerge(Layer.mergeAll(JobKeeper.layer, Supervisor.layer)),
    Layer.provideMerge(Attempts.layer),
    Layer.provideMerge(Layer.mergeAll(ChannelFolders.layer, Provision.layer))
  )
  return Layer.mergeAll(
    Draining.layer,
    CoalescedReads.layer,
    RequestMemory.layer,
    LimitUsage.layer,
    Operators.layer,
    Extraction.layer,
    Searches.layer,
    Tries.layer,
    Schedules.layer,
    Hooks.layer
  ).pipe(
    Layer.provideMerge(Firings.layer),
    Layer.provideMerge(
      Layer.mergeAll(Channels.layer, ChannelDefinitions.layer, Layer.provideMerge(Executions.starter, Executions.layer))
    ),
    Layer.provideMerge(entities),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provideMerge(FlowlineVersions.layer, Flowlines.layer),
        Archives.layer,
        Artifacts.layer,
        Resources.layer,
        Registry.layer,
        RunFiles.layer,
        Keys.layer,
        References.layer
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        Platform.layer,
        Layer.provideMerge(Installation.layer(packageVersion), RetentionRounds.layer),
        Documentation.layer,
        Scan.layer,
        Secrets.layer,
        TenantPatterns.layer,
        TenantVariables.layer,
        sweep
      )
    ),
    Layer.provideMerge(
      Layer.provideMerge(
        Layer.mergeAll(RequestRates.layer, UploadPlaces.layer),
        Layer.mergeAll(Audit.layer, LimitRefusals.layer, UsageCounters.layer, RefusalLog.layer)
      )
    )
  )
}
