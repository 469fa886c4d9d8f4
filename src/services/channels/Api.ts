import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { InvalidChannel } from "../../errors/InvalidChannel.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { ChannelDetail, ChannelList, JobOutput } from "./Channel.ts"

const channelParams = { ...tenantParams, channel: Schema.String.annotate({ description: "Channel name" }) }
const action = Schema.String.annotate({ description: "`start`, `stop` or `restart`", examples: ["start"] })
const jobParams = { ...channelParams, cluster: Schema.String, job: Schema.String }
const Sequence = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 2 ** 53 - 1 }))

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
const statuses =
  "201 for start and restart, 204 for stop. A stop answers when the runs have ended, or after ten seconds. Start and " +
  "restart take an `Idempotency-Key`."

export class ChannelsApi extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/channels", {
      params: tenantParams,
      success: ChannelList,
      error: StorageUnreachable
    }).annotate(OpenApi.Summary, "The tenant's channels, by name"),
    HttpApiEndpoint.get("status", "/v1/:tenant/channels/:channel", {
      params: channelParams,
      success: ChannelDetail,
      error: [NotFound, StorageUnreachable]
    }).annotate(OpenApi.Summary, "A channel and its jobs"),
    HttpApiEndpoint.post("act", "/v1/:tenant/channels/:channel/:action", {
      params: { ...channelParams, action },
      success: done,
      error: refusals
    })
      .annotate(OpenApi.Summary, "Starts, stops or restarts a channel")
      .annotate(OpenApi.Description, statuses),
    HttpApiEndpoint.post("actOnJob", "/v1/:tenant/channels/:channel/jobs/:cluster/:job/:action", {
      params: { ...jobParams, action },
      success: done,
      error: refusals
    })
      .annotate(OpenApi.Summary, "Starts, stops or restarts a job of a channel")
      .annotate(OpenApi.Description, statuses),
    HttpApiEndpoint.get("output", "/v1/:tenant/channels/:channel/jobs/:cluster/:job/output", {
      params: jobParams,
      query: {
        from: Schema.optionalKey(Sequence.annotate({ description: "Only lines after this sequence number" }))
      },
      success: JobOutput,
      error: [NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(OpenApi.Summary, "The last lines that a job has printed")
      .annotate(
        OpenApi.Description,
        "By the Accept header: JSON, the text (text/plain), the lines (application/x-ndjson), or the lines as they come " +
          "(text/event-stream; resumes after Last-Event-ID)."
      )
  )
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Channels" })) {}
