import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { pageQuery } from "../shared/Listing.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { Execution, ExecutionDetail, ExecutionEvent, ExecutionOutput } from "./Execution.ts"

const listParams = { ...tenantParams, id: Schema.String.annotate({ description: "Flowline id" }) }
const executionParams = { ...tenantParams, id: Schema.String.annotate({ description: "Execution id" }) }
const detailParams = { ...tenantParams, flowlineId: Schema.String, executionId: Schema.String }

const Sequence = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 2 ** 53 - 1 }))

export class ExecutionsApi extends HttpApiGroup.make("executions")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/flowline/executions", {
      params: tenantParams,
      query: pageQuery,
      success: Schema.Array(Execution),
      error: [BadRequest, Overloaded, StorageUnreachable]
    }).annotate(OpenApi.Summary, "The tenant's executions, oldest first"),
    HttpApiEndpoint.get("listOf", "/v1/:tenant/flowline/executions/:id", {
      params: listParams,
      query: pageQuery,
      success: Schema.Array(Execution),
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    }).annotate(OpenApi.Summary, "The executions of a flowline, oldest first"),
    HttpApiEndpoint.get("events", "/v1/:tenant/flowline/executions/:id/events", {
      params: executionParams,
      query: {
        ...pageQuery,
        from: Schema.optionalKey(Sequence.annotate({ description: "Of an event stream: only events after this one" }))
      },
      success: Schema.Array(ExecutionEvent),
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(OpenApi.Summary, "The events of an execution, newest first")
      .annotate(
        OpenApi.Description,
        "With Accept: text/event-stream the events as they come, oldest first; resumes after Last-Event-ID."
      ),
    HttpApiEndpoint.get("output", "/v1/:tenant/flowline/executions/:id/output", {
      params: executionParams,
      query: {
        from: Schema.optionalKey(Sequence.annotate({ description: "Only lines after this sequence number" }))
      },
      success: ExecutionOutput,
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(OpenApi.Summary, "What an execution printed")
      .annotate(
        OpenApi.Description,
        "By the Accept header: JSON, the text (text/plain), the lines (application/x-ndjson), or the lines as they come " +
          "(text/event-stream; resumes after Last-Event-ID)."
      ),
    HttpApiEndpoint.get("detail", "/v1/:tenant/flowline/:flowlineId/executions/:executionId", {
      params: detailParams,
      success: ExecutionDetail,
      error: [NotFound, StorageUnreachable]
    }).annotate(OpenApi.Summary, "All about an execution"),
    HttpApiEndpoint.delete("cancel", "/v1/:tenant/flowline/:flowlineId/executions/:executionId", {
      params: detailParams,
      success: HttpApiSchema.Accepted,
      error: [Conflict, NotFound, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Cancels an execution; its state tells when it is done"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/flowline/executions/:id", {
      params: executionParams,
      success: HttpApiSchema.NoContent,
      error: [Conflict, NotFound, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Deletes an ended execution with its events and output; its archive stays")
  )
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Executions" })) {}
