import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { QueueFull } from "../../errors/QueueFull.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { choice, instant, queryText, sequenceAfter, text } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import {
  Execution,
  ExecutionDetail,
  ExecutionEvent,
  ExecutionOutcome,
  ExecutionOutput,
  ExecutionState
} from "./Execution.ts"

export const AgainResponse = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the new execution" })
}).annotate({ identifier: "AgainResponse" })

const flowlineId = text({ description: "Flowline id", example: "4kQz0vWbT1mXr8sYh2Lc" })
const executionId = text({ description: "Execution id", example: "4kQz0vWbT1mXr8sYh2Lc-1763683200000" })
const listParams = { ...tenantParams, id: flowlineId }
/** Which executions a list has. */
const filterQuery = {
  state: Schema.optionalKey(
    choice(ExecutionState.literals, { description: "Only executions in this state", example: "FAILED" })
  ),
  outcome: Schema.optionalKey(
    choice(ExecutionOutcome.literals, {
      description: "Only executions that succeeded with this outcome",
      example: "nothing"
    })
  ),
  from: Schema.optionalKey(
    instant({ description: "Only executions that were requested then or later", example: "2026-01-31T00:00:00Z" })
  ),
  to: Schema.optionalKey(
    instant({ description: "Only executions that were requested earlier", example: "2026-02-01T00:00:00Z" })
  ),
  order: Schema.optionalKey(
    choice(["oldest", "newest"], { description: "Which come first: by default the oldest", example: "newest" })
  )
}
const executionParams = { ...tenantParams, id: executionId }
const detailParams = { ...tenantParams, flowlineId, executionId }

export class ExecutionsApi extends HttpApiGroup.make("executions")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/flowline/executions", {
      params: tenantParams,
      query: {
        ...pageQuery,
        ...filterQuery,
        flowline: Schema.optionalKey(
          queryText(256, { description: "Only executions of this flowline", example: "4kQz0vWbT1mXr8sYh2Lc" })
        )
      },
      success: Schema.Array(Execution),
      error: [BadRequest, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the tenant's executions, by default the oldest first"),
    HttpApiEndpoint.get("listOf", "/v1/:tenant/flowline/executions/:id", {
      params: listParams,
      query: { ...pageQuery, ...filterQuery },
      success: Schema.Array(Execution),
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the executions of a flowline, by default the oldest first"),
    HttpApiEndpoint.get("events", "/v1/:tenant/flowline/executions/:id/events", {
      params: executionParams,
      query: {
        ...pageQuery,
        from: Schema.optionalKey(sequenceAfter("events of an event stream"))
      },
      success: Schema.Array(ExecutionEvent),
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the events of an execution, newest first"),
    HttpApiEndpoint.get("output", "/v1/:tenant/flowline/executions/:id/output", {
      params: executionParams,
      query: {
        from: Schema.optionalKey(sequenceAfter("lines"))
      },
      success: ExecutionOutput,
      error: [BadRequest, NotFound, Overloaded, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Gets the output of an execution"),
    HttpApiEndpoint.get("detail", "/v1/:tenant/flowline/:flowlineId/executions/:executionId", {
      params: detailParams,
      success: ExecutionDetail,
      error: [NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Gets an execution with its events and counters"),
    HttpApiEndpoint.post("again", "/v1/:tenant/flowline/executions/:id/again", {
      params: executionParams,
      success: AgainResponse,
      error: [BadRequest, Conflict, IdempotencyKeyReused, NotFound, QueueFull, StorageUnreachable]
    })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Runs the same version of a flowline again, with the same input"),
    HttpApiEndpoint.delete("cancel", "/v1/:tenant/flowline/:flowlineId/executions/:executionId", {
      params: detailParams,
      success: HttpApiSchema.Accepted,
      error: [Conflict, NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "operator")
      .annotate(OpenApi.Summary, "Cancels an execution; its state becomes CANCELLED when its run has ended"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/flowline/executions/:id", {
      params: executionParams,
      success: HttpApiSchema.NoContent,
      error: [Conflict, NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "developer")
      .annotate(OpenApi.Summary, "Deletes an ended execution with its events and output; its archive stays")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Executions" })) {}
