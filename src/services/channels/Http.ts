import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { idempotent } from "../http/Idempotency.ts"
import { readJson } from "../http/JsonBody.ts"
import { eventStream, formatOf, outputDocument, startOf, streamEnd } from "../http/OutputDocument.ts"
import type { Commit } from "../shared/idempotency/Commit.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { ChannelDefinitions, readChannel } from "./ChannelDefinitions.ts"
import { Channels } from "./Channels.ts"
import { ChannelName, ClusterName, type JobKey, JobName } from "./Job.ts"
import type { DesiredChange, DesiredJob } from "./JobStore.ts"

const changes: ReadonlyMap<string, DesiredChange> = new Map([
  ["start", "start"],
  ["stop", "stop"],
  ["restart", "restart"]
])

/** The job that a request names. */
const keyOf = ({ tenant, channel, cluster, job }: Record<keyof JobKey, string>): JobKey => ({
  tenant: TenantId(tenant),
  channel: ChannelName(channel),
  cluster: ClusterName(cluster),
  job: JobName(job)
})

const changeOf = (tenant: TenantId, action: string) => {
  const change = changes.get(action)
  return change === undefined
    ? Effect.fail(new NotFound({ kind: "action", tenant, id: action }))
    : Effect.succeed(change)
}

const preconditionsOf = ({ headers }: HttpServerRequest.HttpServerRequest) => ({
  ifMatch: headers["if-match"],
  ifNoneMatch: headers["if-none-match"]
})

export const ChannelsHttp = HttpApiBuilder.group(
  Api,
  "channels",
  Effect.fn(function* (handlers) {
    const channels = yield* Channels
    const definitions = yield* ChannelDefinitions
    const { limits } = yield* Settings
    const endOf = yield* streamEnd
    const answers = yield* IdempotencyStore

    /** Starts and restarts are idempotent by their key; a repeated stop is executed again. */
    const answer = <E>(
      request: HttpServerRequest.HttpServerRequest,
      tenant: TenantId,
      change: DesiredChange,
      work: (commit?: Commit<ReadonlyArray<DesiredJob>>) => Effect.Effect<void, E>
    ) =>
      change === "stop"
        ? Effect.as(work(), HttpServerResponse.empty({ status: 204 }))
        : idempotent(answers, request, tenant, new Uint8Array(), (answered) => work(answered(() => ({ status: 201 }))))

    return handlers
      .handle("list", ({ params }) => channels.list(TenantId(params.tenant)))
      .handle("status", ({ params }) => channels.status(TenantId(params.tenant), ChannelName(params.channel)))
      .handleRaw("act", ({ params: { channel, action, ...params }, request }) => {
        const tenant = TenantId(params.tenant)
        return Effect.flatMap(changeOf(tenant, action), (change) =>
          answer(request, tenant, change, (commit) => channels.act(tenant, ChannelName(channel), change, commit))
        )
      })
      .handleRaw("actOnJob", ({ params, request }) => {
        const key = keyOf(params)
        return Effect.flatMap(changeOf(key.tenant, params.action), (change) =>
          answer(request, key.tenant, change, (commit) => channels.actOnJob(key, change, commit))
        )
      })
      .handleRaw("files", ({ params }) =>
        Effect.map(definitions.files(TenantId(params.tenant), ChannelName(params.channel)), ({ definition, etag }) =>
          HttpServerResponse.jsonUnsafe(definition, { headers: { etag } })
        )
      )
      .handleRaw("save", ({ params, request }) =>
        readJson(request, { limit: limits.jsonBody, check: readChannel }).pipe(
          Effect.flatMap(({ value }) =>
            definitions.save(TenantId(params.tenant), ChannelName(params.channel), value, preconditionsOf(request))
          ),
          Effect.map(({ saved, created, etag }) =>
            HttpServerResponse.jsonUnsafe(saved, { status: created ? 201 : 200, headers: { etag } })
          )
        )
      )
      .handleRaw("remove", ({ params, request }) =>
        Effect.as(
          definitions.remove(TenantId(params.tenant), ChannelName(params.channel), preconditionsOf(request)),
          HttpServerResponse.empty({ status: 204 })
        )
      )
      .handleRaw("output", ({ params, query, request }) => {
        const format = formatOf(request.headers.accept)
        const after = startOf(request, query.from)
        return format === "events"
          ? eventStream(
              TenantId(params.tenant),
              Effect.map(channels.follow(keyOf(params), after), (lines) =>
                Stream.map(lines, (lines) =>
                  lines.length === 0 ? ({ _tag: "Quiet" } as const) : ({ _tag: "Lines", lines } as const)
                )
              ),
              endOf(request, TenantId(params.tenant))
            )
          : Effect.flatMap(channels.output(keyOf(params), after), (lines) =>
              outputDocument(format, TenantId(params.tenant), {}, lines)
            )
      })
  })
)
