import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { QueueFull } from "../../errors/QueueFull.ts"
import { RequestTimeout } from "../../errors/RequestTimeout.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { NeededRole } from "../shared/Access.ts"
import { pageQuery } from "../shared/Listing.ts"
import { filePart, text, versionRange, wholeNumber } from "../shared/Parameters.ts"
import { Authorization } from "../shared/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"

const flowlineParams = { ...tenantParams, id: text({ description: "Flowline id", example: "4kQz0vWbT1mXr8sYh2Lc" }) }

const flowlineId = /^[\w-]*$/
const FlowlineIdText = text(
  { description: "Saves a new version of this flowline" },
  { pattern: flowlineId.source }
).check(Schema.isPattern(flowlineId, { expected: "a flowline id" }))

const versionQuery = {
  version: Schema.optionalKey(
    wholeNumber(versionRange, { description: "A version, by default the current one", example: 1 })
  )
}

const FlowlineForm = Schema.Struct({
  file: filePart("Flowline file: YAML, HJSON or JSON")
})
  .annotate({ identifier: "FlowlineForm" })
  .pipe(HttpApiSchema.asMultipart({ fieldMimeTypes: [] }))

const ExecuteForm = Schema.Struct({
  file: filePart("Flowline file: YAML, HJSON or JSON"),
  parameters: Schema.optionalKey(
    Schema.String.annotate({ description: "Values of the flowline's parameters: a JSON object of at most 64 KiB" })
  )
})
  .annotate({ identifier: "ExecuteForm" })
  .pipe(HttpApiSchema.asMultipart({ fieldMimeTypes: [] }))

/** What an execution of a saved flowline is given. */
export const ExecuteRequest = Schema.Struct({
  parameters: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "Values of the flowline's parameters" })
  )
}).annotate({ identifier: "ExecuteRequest" })

const ParametersForm = Schema.Struct({
  parameters: Schema.optionalKey(
    Schema.String.annotate({ description: "Values of the flowline's parameters: a JSON object of at most 64 KiB" })
  )
})
  .annotate({ identifier: "ParametersForm" })
  .pipe(HttpApiSchema.asMultipart({ fieldMimeTypes: [] }))

export const SavedFlowline = Schema.Struct({
  id: Schema.String,
  flowline: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "Content of the flowline file" }),
  version: Schema.Int,
  platformId: Schema.String,
  "@timestamp": Schema.String.annotate({ description: "Time of the save, ISO 8601 UTC with milliseconds" })
}).annotate({ identifier: "SavedFlowline" })

export const FlowlineRecord = Schema.Struct({
  index: Schema.String,
  id: Schema.String,
  source: Schema.Struct({
    "@timestamp": Schema.String,
    platform_id: Schema.String,
    dag: Schema.String.annotate({ description: "The definition as JSON text" }),
    tenant: Schema.String
  }),
  parameters: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The flowline's parameters as a JSON Schema (draft 2020-12) of the object that an execution gives"
  })
}).annotate({ identifier: "FlowlineRecord" })

export const SaveResponse = Schema.Struct({
  index: Schema.String,
  id: Schema.String,
  tenant: Schema.String,
  warnings: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "What may keep it from running on this machine, or from doing what its settings promise"
    })
  )
}).annotate({ identifier: "SaveResponse" })

export const ExecuteResponse = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the execution" })
}).annotate({ identifier: "ExecuteResponse" })

export class FlowlinesApi extends HttpApiGroup.make("flowlines")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/flowline", {
      params: tenantParams,
      query: pageQuery,
      success: Schema.Array(SavedFlowline),
      error: [BadRequest, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "The saved flowlines, each in its current version"),
    HttpApiEndpoint.post("save", "/v1/:tenant/flowline/save", {
      params: tenantParams,
      query: {
        id: Schema.optionalKey(FlowlineIdText)
      },
      payload: FlowlineForm,
      success: SaveResponse,
      error: [
        BadRequest,
        Conflict,
        IdempotencyKeyReused,
        NotFound,
        Overloaded,
        PreconditionFailed,
        RequestTimeout,
        StorageUnreachable,
        TooLarge
      ]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Validates and saves a flowline"),
    HttpApiEndpoint.post("executeOnce", "/v1/:tenant/flowline", {
      params: tenantParams,
      payload: ExecuteForm,
      success: ExecuteResponse,
      error: [
        BadRequest,
        Conflict,
        IdempotencyKeyReused,
        Overloaded,
        QueueFull,
        RequestTimeout,
        StorageUnreachable,
        TooLarge
      ]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Runs a flowline file once, without saving it"),
    HttpApiEndpoint.get("get", "/v1/:tenant/flowline/:id", {
      params: flowlineParams,
      query: versionQuery,
      success: FlowlineRecord,
      error: [NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "A saved flowline"),
    HttpApiEndpoint.post("execute", "/v1/:tenant/flowline/:id", {
      params: flowlineParams,
      query: versionQuery,
      payload: [ExecuteRequest, Schema.Null, ParametersForm],
      success: ExecuteResponse,
      error: [
        BadRequest,
        Conflict,
        IdempotencyKeyReused,
        NotFound,
        Overloaded,
        QueueFull,
        RequestTimeout,
        StorageUnreachable,
        TooLarge,
        UnsupportedMediaType
      ]
    })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Executes a saved flowline"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/flowline/:id", {
      params: flowlineParams,
      success: HttpApiSchema.Empty(201),
      error: [BadRequest, NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Deletes a saved flowline with all its versions; its executions stay")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Flowlines" })) {}
