import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { LimitExceeded } from "../../errors/LimitExceeded.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TenantSuspended } from "../../errors/TenantSuspended.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { Unauthorized } from "../../errors/Unauthorized.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { text } from "../shared/requests/Parameters.ts"
import { RequestProblems } from "../shared/requests/RequestProblems.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import {
  Backfill,
  BackfillRequest,
  Firing,
  HookToken,
  RunRequest,
  Schedule,
  ScheduleRequest,
  StoredSchedule,
  scheduleName
} from "./Schedule.ts"

const params = {
  ...tenantParams,
  name: text({ description: "Name of the schedule", example: "nightly" }, { pattern: scheduleName.source }).check(
    Schema.isPattern(scheduleName, {
      expected: "at most 63 letters, digits, `.`, `_` and `-`, starting with a letter or digit"
    })
  )
}
const backfillParams = { ...params, id: text({ description: "Id of the backfill", example: "1" }) }

const read = [BadRequest, NotFound, StorageUnreachable] as const
const sent = [BadRequest, NotFound, StorageUnreachable, TooLarge, UnsupportedMediaType] as const
const path = "/v1/:tenant/schedules/:name"

export class SchedulesApi extends HttpApiGroup.make("schedules")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/schedules", {
      params: tenantParams,
      success: Schema.Array(Schedule),
      error: StorageUnreachable
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the tenant's schedules, by name"),
    HttpApiEndpoint.get("get", path, { params, success: Schedule, error: read })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "A schedule"),
    HttpApiEndpoint.put("put", path, {
      params,
      payload: ScheduleRequest,
      success: [StoredSchedule.pipe(HttpApiSchema.status(201)), StoredSchedule],
      error: [
        BadRequest,
        LimitExceeded,
        Overloaded,
        PreconditionFailed,
        StorageUnreachable,
        TooLarge,
        UnsupportedMediaType
      ]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Makes or replaces a schedule"),
    HttpApiEndpoint.delete("remove", path, { params, error: [...read, PreconditionFailed] })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Deletes a schedule with its firings; its executions stay"),
    HttpApiEndpoint.post("pause", `${path}/pause`, { params, success: Schedule, error: read })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Pauses a schedule"),
    HttpApiEndpoint.post("resume", `${path}/resume`, { params, success: Schedule, error: read })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Resumes a paused schedule"),
    HttpApiEndpoint.post("newToken", `${path}/token`, {
      params,
      success: HookToken.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Conflict, NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Makes a new token for the webhook of a schedule, which is shown once"),
    HttpApiEndpoint.post("run", `${path}/run`, {
      params,
      payload: [RunRequest, Schema.Null],
      success: Firing,
      error: sent
    })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Fires a schedule now"),
    HttpApiEndpoint.get("firings", `${path}/firings`, {
      params,
      query: pageQuery,
      success: Schema.Array(Firing),
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the firings of a schedule with their executions, newest first"),
    HttpApiEndpoint.post("backfill", `${path}/backfill`, {
      params,
      payload: BackfillRequest,
      success: Backfill.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Conflict, NotFound, StorageUnreachable, TooLarge, UnsupportedMediaType]
    })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Fires a schedule for each of its times in a range"),
    HttpApiEndpoint.get("backfills", `${path}/backfill`, { params, success: Schema.Array(Backfill), error: read })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the backfills of a schedule with what became of them, newest first"),
    HttpApiEndpoint.delete("cancelBackfill", `${path}/backfill/:id`, { params: backfillParams, error: read })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Cancels a backfill with its open executions")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Schedules" })) {}

const JsonRecord = Schema.Record(Schema.String, Schema.Unknown)

/** JSON, the bytes of NDJSON, or lines of text. An empty text is no body. */
const hookBody = [
  // Must come first: Effect's client takes the first schema that fits, and bytes would pass for a JSON record.
  Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/x-ndjson" })),
  Schema.Union([JsonRecord, Schema.Array(JsonRecord)]),
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))
] as const

/**
 * Senders to a webhook have its token or its secret and no other credentials, so this group authenticates by itself.
 */
export class HooksApi extends HttpApiGroup.make("hooks")
  .add(
    HttpApiEndpoint.post("fire", "/v1/:tenant/hooks/:name", {
      params,
      payload: hookBody,
      success: Firing.pipe(HttpApiSchema.status(202)),
      error: [
        BadRequest,
        Conflict,
        LimitExceeded,
        StorageUnreachable,
        TenantSuspended,
        TooLarge,
        Unauthorized,
        UnsupportedMediaType
      ]
    }).annotate(OpenApi.Summary, "Fires the schedule of a webhook")
  )
  .middleware(RequestProblems)
  .annotateMerge(OpenApi.annotations({ title: "Webhooks" })) {}
