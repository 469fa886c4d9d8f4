import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { InvalidChannel } from "../../errors/InvalidChannel.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { ReadOnlyConfiguration } from "../../errors/ReadOnlyConfiguration.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { sequenceAfter, text } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { ChannelDetail, ChannelList, JobOutput } from "./Channel.ts"
import { ChannelDefinition, ChannelDefinitionRequest, SavedChannel } from "./ChannelDefinition.ts"

const channelParams = { ...tenantParams, channel: text({ description: "Channel name", example: "apache" }) }
const action = text(
  { description: "What to do; anything else is not found", example: "start" },
  { enum: ["start", "stop", "restart"] }
)
const jobParams = {
  ...channelParams,
  cluster: text({ description: "Cluster of the job, a name in the channel's structure", example: "local" }),
  job: text({ description: "Job name", example: "parse" })
}

const done = [HttpApiSchema.Created, HttpApiSchema.NoContent] as const
const refusals = [
  BadRequest,
  Conflict,
  IdempotencyKeyReused,
  InvalidChannel,
  NotFound,
  Overloaded,
  StorageUnreachable
] as const
const changeRefusals = [BadRequest, Conflict, PreconditionFailed, ReadOnlyConfiguration, StorageUnreachable] as const

export class ChannelsApi extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/channels", {
      params: tenantParams,
      success: ChannelList,
      error: StorageUnreachable
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "The tenant's channels, by name"),
    HttpApiEndpoint.get("status", "/v1/:tenant/channels/:channel", {
      params: channelParams,
      success: ChannelDetail,
      error: [NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "A channel and its jobs"),
    HttpApiEndpoint.post("act", "/v1/:tenant/channels/:channel/:action", {
      params: { ...channelParams, action },
      success: done,
      error: refusals
    })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Starts, stops or restarts a channel"),
    HttpApiEndpoint.post("actOnJob", "/v1/:tenant/channels/:channel/jobs/:cluster/:job/:action", {
      params: { ...jobParams, action },
      success: done,
      error: refusals
    })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Starts, stops or restarts a job of a channel"),
    HttpApiEndpoint.get("output", "/v1/:tenant/channels/:channel/jobs/:cluster/:job/output", {
      params: jobParams,
      query: {
        from: Schema.optionalKey(sequenceAfter("lines"))
      },
      success: JobOutput,
      error: [NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "The last lines that a job has printed"),
    HttpApiEndpoint.get("files", "/v1/:tenant/channels/:channel/files", {
      params: channelParams,
      success: ChannelDefinition,
      error: [Conflict, NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "The files of a channel"),
    HttpApiEndpoint.put("save", "/v1/:tenant/channels/:channel", {
      params: channelParams,
      payload: ChannelDefinitionRequest,
      success: [SavedChannel, SavedChannel.pipe(HttpApiSchema.status(201))],
      error: [...changeRefusals, InvalidChannel, Overloaded, TooLarge, UnsupportedMediaType]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Creates a channel, or replaces its files"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/channels/:channel", {
      params: channelParams,
      error: [...changeRefusals, NotFound]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Deletes a stopped channel")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Channels" })) {}
