import { Array as Arr, Cause, Duration, Effect, Exit, Random, Schema, Scope, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../../../src/Api.ts"
import { ExecutionEvent, ExecutionState, OutputLine } from "../../../src/services/executions/Execution.ts"
import type { Endpoints, ErrorsOf, Groups } from "./Endpoints.ts"
import { RequestHeaders } from "./Fetch.ts"

/** One line or event. Ids increase: a later stream that starts after this id misses nothing and repeats nothing. */
export interface Line<A> {
  readonly type: "line"
  readonly id: number
  readonly data: A
}

const End = Schema.Struct({ state: ExecutionState, truncated: Schema.Boolean })

/** The last item: the execution has ended. */
export interface End {
  readonly type: "end"
  readonly data: typeof End.Type
}

/** Lines of a source without an end; the stream goes on until it is interrupted. */
export type Feed<A, E> = Stream.Stream<Line<A>, E>
/** Lines of an execution, and its end. */
export type ExecutionFeed<A, E> = Stream.Stream<Line<A> | End, E>

type ExecutionRequest = Pick<Parameters<Endpoints["executions"]["output"]>[0], "params" | "query">
type JobRequest = Pick<Parameters<Endpoints["channels"]["output"]>[0], "params" | "query">

/**
 * Streams of what endpoints report while it happens. A stream reconnects by itself when the connection breaks, and
 * resumes after the last line that it received: no line is lost or repeated. It reads more only when its consumer asks
 * for more. It fails with the problems of its endpoint, such as `NotFound`.
 */
export interface Follow {
  /** The lines that an execution prints. */
  readonly output: (
    request: ExecutionRequest
  ) => ExecutionFeed<typeof OutputLine.Type, ErrorsOf<Groups["executions"]["endpoints"]["output"]>>
  /** The events of an execution, oldest first. */
  readonly events: (
    request: ExecutionRequest
  ) => ExecutionFeed<typeof ExecutionEvent.Type, ErrorsOf<Groups["executions"]["endpoints"]["events"]>>
  /** The lines that a job of a channel prints. The stream has no end. */
  readonly jobOutput: (
    request: JobRequest
  ) => Feed<typeof OutputLine.Type, ErrorsOf<Groups["channels"]["endpoints"]["output"]>>
}

/** Milliseconds before the first reconnection, unless the server sets them (`retry:`), and the maximum. */
const firstPause = 1000
const longestPause = 30_000
/** Milliseconds without a byte after which a connection is given up: the server sends a comment every 15 seconds. */
const silence = 60_000

/** Failures that another attempt may overcome: no connection, a broken or closed one, or a fault of the server. */
const isTransient = (error: unknown): boolean => {
  if (Cause.isDone(error)) return true
  if (!HttpClientError.isHttpClientError(error)) return (error as { readonly status?: number }).status! >= 500
  const status = error.response?.status ?? (error.reason._tag === "TransportError" ? 500 : 400)
  return status === 200 || status >= 500
}

/**
 * The events of an event stream (WHATWG HTML, section 9.2) over all its connections.
 *
 * @param open sends the request, after the event with this id
 */
export const reconnecting = <A, E, E2>(
  open: (after: string | undefined) => Effect.Effect<HttpClientResponse.HttpClientResponse, E>,
  decode: (event: Sse.Event) => Effect.Effect<A, E2>,
  isLast: (event: A) => boolean
): Stream.Stream<A, E | E2 | HttpClientError.HttpClientError> =>
  Stream.unwrap(
    Effect.map(Effect.scope, (scope) => {
      let after: string | undefined
      let base = firstPause
      let attempts = 0
      let isOver = false
      let disconnect: Effect.Effect<void> = Effect.void
      let next: Effect.Effect<ReadonlyArray<A>, E | E2 | HttpClientError.HttpClientError | Cause.Done>

      const connect = Effect.gen(function* () {
        if (attempts > 0) {
          const pause = Math.min(base * 2 ** (attempts - 1), longestPause)
          yield* Effect.sleep(pause * (0.5 + (yield* Random.next) / 2))
        }
        attempts += 1
        const response = yield* open(after)
        const connection = yield* Scope.fork(scope)
        const bytes = yield* Scope.provide(Stream.toPull(response.stream), connection)
        const events: Array<Sse.Event> = []
        const decoder = new TextDecoder()
        const parser = Sse.makeParser((event) => {
          if (event._tag === "Event") events.push(event)
          else base = Duration.toMillis(event.duration)
        })
        disconnect = Scope.close(connection, Exit.void)
        next = Effect.gen(function* () {
          const chunks = yield* Effect.timeoutOrElse(bytes, { duration: silence, orElse: () => Cause.done() })
          for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }))
          const decoded: Array<A> = []
          for (const event of events.splice(0)) {
            const item = yield* decode(event)
            decoded.push(item)
            after = event.id ?? after
            attempts = 1
            isOver ||= isLast(item)
          }
          return decoded
        })
        return []
      })

      const reconnect = Effect.suspend(() => {
        next = connect
        return Effect.as(disconnect, [])
      })
      next = connect
      const pull: Effect.Effect<readonly [A, ...Array<A>], E | E2 | HttpClientError.HttpClientError | Cause.Done> =
        Effect.suspend(() =>
          isOver
            ? Cause.done()
            : Effect.flatMap(
                Effect.catchIf(next, isTransient, () => reconnect),
                (items) => (Arr.isReadonlyArrayNonEmpty(items) ? Effect.succeed(items) : pull)
              )
        )
      return Stream.fromPull(Effect.succeed(pull))
    })
  )

/** Sends a request for an event stream. Any answer but one is a failure of the endpoint. */
const opened = <Request extends object, E, E2>(
  call: (
    request: Request & { readonly responseMode: "response-only" }
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, E>,
  decodeFailure: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, E2>,
  request: Request
) =>
  Effect.fnUntraced(function* (after: string | undefined) {
    const headers = {
      ...(yield* RequestHeaders),
      accept: "text/event-stream",
      ...(after === undefined ? {} : { "last-event-id": after })
    }
    const response = yield* Effect.provideService(
      call({ ...request, responseMode: "response-only" }),
      RequestHeaders,
      headers
    )
    if (response.status !== 200) yield* decodeFailure(response)
    return response
  })

const line = <A>(schema: Schema.ConstraintDecoder<A>) => {
  const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  return ({ id, data }: Sse.Event) =>
    Effect.map(decodeLine(data), (data): Line<A> => ({ type: "line", id: Number(id), data }))
}

const lineOrEnd = <A>(schema: Schema.ConstraintDecoder<A>) => {
  const decodeLine = line(schema)
  const decodeEnd = Schema.decodeUnknownEffect(Schema.fromJsonString(End))
  return (event: Sse.Event): Effect.Effect<Line<A> | End, Schema.SchemaError> =>
    event.event === "end"
      ? Effect.map(decodeEnd(event.data), (data): End => ({ type: "end", data }))
      : decodeLine(event)
}

const isEnd = ({ type }: Line<unknown> | End): boolean => type === "end"

export const follow = ({ channels, executions }: Endpoints): Follow => {
  const decodeOutput = HttpApiClient.decodeResponse(Api, { group: "executions", endpoint: "output" })
  const decodeEvents = HttpApiClient.decodeResponse(Api, { group: "executions", endpoint: "events" })
  const decodeJobOutput = HttpApiClient.decodeResponse(Api, { group: "channels", endpoint: "output" })
  return {
    output: (request) => reconnecting(opened(executions.output, decodeOutput, request), lineOrEnd(OutputLine), isEnd),
    events: (request) =>
      reconnecting(opened(executions.events, decodeEvents, request), lineOrEnd(ExecutionEvent), isEnd),
    jobOutput: (request) =>
      reconnecting(opened(channels.output, decodeJobOutput, request), line(OutputLine), () => false)
  }
}
