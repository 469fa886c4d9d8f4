import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { selected } from "../http/Accept.ts"
import { idempotent } from "../http/Idempotency.ts"
import { eventStream, formatOf, outputDocument, startOf, streamEnd, wantsEvents } from "../http/OutputDocument.ts"
import { listResponse } from "../http/Paging.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import type { ListSpan, PageQuery } from "../shared/reads/Listing.ts"
import { TenantId } from "../shared/Tenant.ts"
import { ExecutionId } from "./Execution.ts"
import { type ExecutionFilter, isByTime } from "./ExecutionStore.ts"
import { Executions } from "./Executions.ts"

/** Keys of lists by time: milliseconds and an ordinal. */
const timeKeys = /^\d{1,16}-\d{1,18}$/

/** The name of a list, which its cursors carry: one of another list is refused. */
const nameOf = (list: string, filter: ExecutionFilter): string =>
  [list, ...Object.entries(filter).map(([name, value]) => `${name}=${value}`)].join(" ")

/** What a query says of the executions that are wanted. */
const filterOf = ({ cursor: _, limit: __, flowline, ...filter }: FilterQuery): ExecutionFilter => ({
  ...filter,
  ...(flowline === undefined ? {} : { flowlineId: FlowlineId(flowline) })
})

type FilterQuery = PageQuery & Omit<ExecutionFilter, "flowlineId"> & { readonly flowline?: string }

export const ExecutionsHttp = HttpApiBuilder.group(
  Api,
  "executions",
  Effect.fn(function* (handlers) {
    const executions = yield* Executions
    const endOf = yield* streamEnd
    const answers = yield* IdempotencyStore
    return handlers
      .handle("list", ({ params, query }) => {
        const tenant = TenantId(params.tenant)
        const filter = filterOf(query)
        const rows = (span: ListSpan) => executions.list(tenant, filter, span)
        const keys = isByTime(filter) ? timeKeys : undefined
        return listResponse(nameOf("executions", filter), tenant, query, rows, keys)
      })
      .handle("listOf", ({ params, query }) => {
        const tenant = TenantId(params.tenant)
        const filter = filterOf(query)
        return Effect.flatMap(executions.listOf(tenant, FlowlineId(params.id), filter), (rows) => {
          const keys = isByTime(filter) ? timeKeys : undefined
          return listResponse(nameOf(`executions of ${params.id}`, filter), tenant, query, rows, keys)
        })
      })
      .handleRaw("events", ({ params, query: { from, ...page }, request }) => {
        const tenant = TenantId(params.tenant)
        const id = ExecutionId(params.id)
        return wantsEvents(request.headers.accept)
          ? eventStream(
              tenant,
              executions.followEvents(tenant, id, startOf(request, from) ?? 0),
              endOf(request, tenant)
            )
          : Effect.flatMap(executions.events(tenant, id), (rows) =>
              Effect.map(listResponse(`events of ${id}`, tenant, page, rows), selected)
            )
      })
      .handleRaw("output", ({ params, query, request }) => {
        const tenant = TenantId(params.tenant)
        const format = formatOf(request.headers.accept)
        const after = startOf(request, query.from) ?? 0
        return format === "events"
          ? eventStream(tenant, executions.follow(tenant, ExecutionId(params.id), after), endOf(request, tenant))
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
