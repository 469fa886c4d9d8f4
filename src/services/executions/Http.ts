import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { idempotent } from "../http/Idempotency.ts"
import { eventStream, formatOf, outputDocument, startOf } from "../http/OutputDocument.ts"
import { listResponse } from "../http/Paging.ts"
import { Draining } from "../shared/Draining.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import { IdempotencyStore } from "../shared/IdempotencyStore.ts"
import { TenantId } from "../shared/Tenant.ts"
import { ExecutionId } from "./Execution.ts"
import { Executions } from "./Executions.ts"

export const ExecutionsHttp = HttpApiBuilder.group(
  Api,
  "executions",
  Effect.fn(function* (handlers) {
    const executions = yield* Executions
    const draining = yield* Draining
    const answers = yield* IdempotencyStore
    return handlers
      .handle("list", ({ params, query }) =>
        listResponse("executions", TenantId(params.tenant), query, (span) =>
          executions.list(TenantId(params.tenant), span)
        )
      )
      .handle("listOf", ({ params, query }) =>
        Effect.flatMap(executions.listOf(TenantId(params.tenant), FlowlineId(params.id)), (rows) =>
          listResponse(`executions of ${params.id}`, TenantId(params.tenant), query, rows)
        )
      )
      .handleRaw("events", ({ params, query: { from, ...page }, request }) => {
        const tenant = TenantId(params.tenant)
        const id = ExecutionId(params.id)
        return formatOf(request.headers.accept) === "events"
          ? eventStream(tenant, executions.followEvents(tenant, id, startOf(request, from) ?? 0), draining)
          : Effect.flatMap(executions.events(tenant, id), (rows) => listResponse(`events of ${id}`, tenant, page, rows))
      })
      .handleRaw("output", ({ params, query, request }) => {
        const tenant = TenantId(params.tenant)
        const format = formatOf(request.headers.accept)
        const after = startOf(request, query.from) ?? 0
        return format === "events"
          ? eventStream(tenant, executions.follow(tenant, ExecutionId(params.id), after), draining)
          : Effect.flatMap(executions.output(tenant, ExecutionId(params.id)), ({ state, truncated, lines }) =>
              outputDocument(format, tenant, { id: params.id, state, truncated }, lines(after))
            )
      })
      .handle("detail", ({ params }) =>
        executions.detail(TenantId(params.tenant), FlowlineId(params.flowlineId), ExecutionId(params.executionId))
      )
      .handleRaw("again", ({ params, request }) =>
        idempotent(answers, request, TenantId(params.tenant), new Uint8Array(), (answered) =>
          executions.again(
            TenantId(params.tenant),
            ExecutionId(params.id),
            answered(({ id }) => ({ body: { id } }))
          )
        )
      )
      .handle("cancel", ({ params }) =>
        executions.cancel(TenantId(params.tenant), FlowlineId(params.flowlineId), ExecutionId(params.executionId))
      )
      .handle("remove", ({ params }) => executions.remove(TenantId(params.tenant), ExecutionId(params.id)))
  })
)
