import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { idempotent } from "../http/Idempotency.ts"
import { eventStream, formatOf, linesDocument, startOf } from "../http/OutputDocument.ts"
import { Draining } from "../shared/Draining.ts"
import { IdempotencyStore } from "../shared/IdempotencyStore.ts"
import { Channels } from "./Channels.ts"
import type { DesiredChange } from "./JobStore.ts"

const wishes: ReadonlyMap<string, DesiredChange> = new Map([
  ["start", "start"],
  ["stop", "stop"],
  ["restart", "restart"]
])

const wishOf = (tenant: string, action: string) => {
  const wish = wishes.get(action)
  return wish === undefined ? Effect.fail(new NotFound({ kind: "action", tenant, id: action })) : Effect.succeed(wish)
}

export const ChannelsHttp = HttpApiBuilder.group(
  Api,
  "channels",
  Effect.fn(function* (handlers) {
    const channels = yield* Channels
    const draining = yield* Draining
    const answers = yield* IdempotencyStore

    /** Starts and restarts are idempotent by their key; a repeated stop is executed again. */
    const answer = <E>(
      request: HttpServerRequest.HttpServerRequest,
      tenant: string,
      wish: DesiredChange,
      done: Effect.Effect<void, E>
    ) =>
      wish === "stop"
        ? Effect.as(done, HttpServerResponse.empty({ status: 204 }))
        : idempotent(answers, request, tenant, new Uint8Array(), Effect.as(done, { status: 201 }))

    return handlers
      .handle("list", ({ params }) => channels.list(params.tenant))
      .handle("status", ({ params }) => channels.status(params.tenant, params.channel))
      .handleRaw("act", ({ params: { tenant, channel, action }, request }) =>
        Effect.flatMap(wishOf(tenant, action), (wish) =>
          answer(request, tenant, wish, channels.act(tenant, channel, wish))
        )
      )
      .handleRaw("actOnJob", ({ params: { action, ...job }, request }) =>
        Effect.flatMap(wishOf(job.tenant, action), (wish) =>
          answer(request, job.tenant, wish, channels.actOnJob(job, wish))
        )
      )
      .handleRaw("output", ({ params, query, request }) => {
        const format = formatOf(request.headers.accept)
        const after = startOf(request, query.from)
        return format === "events"
          ? eventStream(
              Effect.map(channels.follow(params, after), (lines) =>
                Stream.map(lines, (lines) =>
                  lines.length === 0 ? ({ _tag: "Quiet" } as const) : ({ _tag: "Lines", lines } as const)
                )
              ),
              draining
            )
          : Effect.map(channels.output(params, after), (lines) => linesDocument(format, lines))
      })
  })
)
