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
    }).annotate(OpenApi.Summary, "Lists the tenant's executions, oldest first"),
    HttpApiEndpoint.get("listOf", "/v1/:tenant/flowline/executions/:id", {
      params: listParams,
      query: pageQuery,
      success: Schema.Array(Execution),
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Lists the executions of a flowline, oldest first"),
    HttpApiEndpoint.get("events", "/v1/:tenant/flowline/executions/:id/events", {
      params: executionParams,
      query: {
        ...pageQuery,
        from: Schema.optionalKey(
          Sequence.annotate({ description: "For event streams: only events after this sequence number" })
        )
      },
      success: Schema.Array(ExecutionEvent),
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(OpenApi.Summary, "Lists the events of an execution, newest first")
      .annotate(
        OpenApi.Description,
        "With Accept: text/event-stream, sends the events as they occur, oldest first, and resumes after Last-Event-ID."
      ),
    HttpApiEndpoint.get("output", "/v1/:tenant/flowline/executions/:id/output", {
      params: executionParams,
      query: {
        from: Schema.optionalKey(Sequence.annotate({ description: "Only lines after this sequence number" }))
      },
      success: ExecutionOutput,
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(OpenApi.Summary, "Gets the output of an execution")
      .annotate(
        OpenApi.Description,
        "The Accept header selects the format: JSON, text/plain, application/x-ndjson (one line each), or " +
          "text/event-stream, which sends lines as they are printed and resumes after Last-Event-ID."
      ),
    HttpApiEndpoint.get("detail", "/v1/:tenant/flowline/:flowlineId/executions/:executionId", {
      params: detailParams,
      success: ExecutionDetail,
      error: [NotFound, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Gets an execution with its events and counters"),
    HttpApiEndpoint.delete("cancel", "/v1/:tenant/flowline/:flowlineId/executions/:executionId", {
      params: detailParams,
      success: HttpApiSchema.Accepted,
      error: [Conflict, NotFound, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Cancels an execution; its state becomes CANCELLED when its run has ended"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/flowline/executions/:id", {
      params: executionParams,
      success: HttpApiSchema.NoContent,
      error: [Conflict, NotFound, StorageUnreachable]
    }).annotate(OpenApi.Summary, "Deletes an ended execution with its events and output; its archive stays")
  )
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Executions" })) {}
