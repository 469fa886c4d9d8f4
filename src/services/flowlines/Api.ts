import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { QueueFull } from "../../errors/QueueFull.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { RequestTimeout } from "../../errors/RequestTimeout.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { ChangesNothing, NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { booleanText, filePart, text, versionRange, wholeNumber } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { TryAnswer } from "./TryAnswer.ts"
import { FlowlineComparison, FlowlineVersionEntry, FlowlineVersionRecord } from "./VersionModels.ts"

const flowlineParams = { ...tenantParams, id: text({ description: "Flowline id", example: "4kQz0vWbT1mXr8sYh2Lc" }) }

const flowlineId = /^[\w-]*$/
const FlowlineIdText = text(
  { description: "Id of a saved flowline, whose next version the file becomes; without it a new flowline is made" },
  { pattern: flowlineId.source }
).check(Schema.isPattern(flowlineId, { expected: "a flowline id" }))

const versionQuery = {
  version: Schema.optionalKey(
    wholeNumber(versionRange, { description: "A version, by default the current one", example: 1 })
  )
}

const version = (description: string) => wholeNumber(versionRange, { description, example: 1 })

const versionParams = { ...flowlineParams, version: version("Number of a version") }
const part = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

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

const TryForm = Schema.Struct({
  file: Schema.optionalKey(filePart("Flowline file: YAML, HJSON or JSON")),
  id: part("Id of a saved flowline, in place of `file`"),
  version: part("Version of the saved flowline, by default the current one"),
  sample: Schema.optionalKey(
    filePart("Text that the input reads in place of its source: lines, or the head of a file; at most 1 MiB")
  ),
  records: part("Records in place of `sample`: a list in JSON, or a JSON object in each line"),
  input: part("Component of the input that `sample` or `records` is for, if there are several inputs"),
  parameters: part("Values of the flowline's parameters: a JSON object of at most 64 KiB"),
  samples: part("For several inputs: a JSON object of components, each with a text or a list of records and lines"),
  first: part("How many records inputs without a sample read of their own source: 100 by default, 0 for none"),
  limit: part("How many records of each stream the answer shows: 100 by default, at most 1000"),
  check: part("`true`: only validates the flowline, as a save does, and runs nothing")
})
  .annotate({ identifier: "TryForm" })
  .pipe(HttpApiSchema.asMultipart({ fieldMimeTypes: [] }))

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
  version: Schema.Int.annotate({ description: "Number of the version that was made, from 1 on" }),
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
        id: Schema.optionalKey(FlowlineIdText),
        test: Schema.optionalKey(
          booleanText({
            description: "Runs the tests of the flowline first, and saves it only if they pass",
            example: true
          })
        )
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
        TooLarge,
        TooMany
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
    HttpApiEndpoint.post("tryOut", "/v1/:tenant/flowline/try", {
      params: tenantParams,
      payload: TryForm,
      success: TryAnswer,
      error: [BadRequest, NotFound, Overloaded, RequestTimeout, StorageUnreachable, TooLarge, TooMany]
    })
      .annotate(NeededRole, "developer")
      .annotate(ChangesNothing, true)
      .annotate(OpenApi.Summary, "Tries a flowline on a sample, without storing or writing anything"),
    HttpApiEndpoint.get("get", "/v1/:tenant/flowline/:id", {
      params: flowlineParams,
      query: versionQuery,
      success: FlowlineRecord,
      error: [NotFound, PreconditionFailed, StorageUnreachable]
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
        PreconditionFailed,
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
      error: [BadRequest, NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Deletes a saved flowline with all its versions; its executions stay"),
    HttpApiEndpoint.get("versions", "/v1/:tenant/flowline/:id/versions", {
      params: flowlineParams,
      query: pageQuery,
      success: Schema.Array(FlowlineVersionEntry),
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "The versions of a flowline, newest first"),
    HttpApiEndpoint.get("version", "/v1/:tenant/flowline/:id/versions/:version", {
      params: versionParams,
      success: FlowlineVersionRecord,
      error: [NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "A version of a flowline, with its text"),
    HttpApiEndpoint.get("file", "/v1/:tenant/flowline/:id/versions/:version/file", {
      params: versionParams,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "The file of a version, byte for byte as it was sent"),
    HttpApiEndpoint.get("diff", "/v1/:tenant/flowline/:id/versions/:version/diff/:other", {
      params: { ...versionParams, other: version("Number of the version that it is compared with") },
      success: FlowlineComparison,
      error: [NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "What has changed from one version to another"),
    HttpApiEndpoint.post("restore", "/v1/:tenant/flowline/:id/versions/:version/restore", {
      params: versionParams,
      success: SaveResponse,
      error: [
        BadRequest,
        Conflict,
        IdempotencyKeyReused,
        NotFound,
        Overloaded,
        PreconditionFailed,
        StorageUnreachable,
        TooLarge,
        TooMany
      ]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Saves the file of a version again, as the next version")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Flowlines" })) {}
