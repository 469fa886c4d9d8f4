import { Cause, Context, Effect, Exit, Scope, Stream } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import type { HttpApiClient, HttpApiGroup } from "effect/http-api"
import type { ClientOptions } from "./Credentials.ts"
import type { Endpoint, Groups, MakingOf, OptionalOf, Request, Versioned, WithoutBody } from "./Endpoints.ts"
import { fetchClient, type OnSent, Progress, RequestHeaders } from "./Fetch.ts"
import { make } from "./FlowGateway.ts"
import type { Follow } from "./Follow.ts"
import { GatewayError } from "./GatewayError.ts"

export type { ClientOptions, Credentials } from "./Credentials.ts"
export type { End, Line } from "./Follow.ts"
export { type Content, form, type Part } from "./Form.ts"
export { GatewayError } from "./GatewayError.ts"

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal
  /** Headers besides those that the client sends, such as `If-Match` and `Idempotency-Key`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Called with the number of bytes of a form that have been sent so far. */
  readonly onSent?: OnSent
}

/** Replaces Effect's byte streams in answers by the platform's. */
type Answer<E extends Endpoint> =
  HttpApiClient.SuccessType<E["~Success"]> extends Stream.Stream<infer A, unknown>
    ? ReadableStream<A>
    : HttpApiClient.SuccessType<E["~Success"]>

type Arguments<R> = [Extract<R, void>] extends [never]
  ? [request: Omit<R, "responseMode" | "sseOptions">, options?: CallOptions]
  : [request?: undefined, options?: CallOptions]

type Calls<Group extends HttpApiGroup.Constraint> = {
  readonly [Name in keyof Group["endpoints"]]: Group["endpoints"][Name] extends infer E extends Endpoint
    ? (
        ...call: Arguments<Name extends OptionalOf<Group["identifier"]> ? WithoutBody<Request<E>> : Request<E>>
      ) => Promise<Name extends MakingOf<Group["identifier"]> ? Versioned<Answer<E>> : Answer<E>>
    : never
}

type Followed = {
  readonly [Name in keyof Follow]: (
    request: Parameters<Follow[Name]>[0],
    options?: Omit<CallOptions, "onSent">
  ) => AsyncIterable<Stream.Success<ReturnType<Follow[Name]>>>
}

/** A method for every endpoint, by group, and the streams of {@link Follow} as `AsyncIterable`s in `follow`. */
export type FlowGateway = {
  readonly [Group in keyof Groups]: Groups[Group] extends infer G extends HttpApiGroup.Constraint ? Calls<G> : never
} & { readonly follow: Followed }

type Method = (request: unknown) => unknown
type Untyped = Readonly<Record<string, Readonly<Record<string, Method>>>>

/** The problem of an answer that its endpoint does not declare, such as those that any endpoint may answer. */
const undeclared = async (cause: unknown, signal: AbortSignal | undefined): Promise<object | undefined> => {
  const response = HttpClientError.isHttpClientError(cause) ? cause.response : undefined
  if (response?.headers["content-type"]?.includes("problem+json") !== true) return undefined
  const body = await Effect.runPromiseExit(response.json, { signal })
  return Exit.isSuccess(body) ? Object(body.value) : undefined
}

/** A stream of the platform that reads the next chunk only on request. */
const readable = (chunks: AsyncGenerator<unknown, void>): ReadableStream<unknown> =>
  new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await chunks.return())
    },
    { highWaterMark: 0 }
  )

/**
 * Creates a client of the gateway at `baseUrl`, such as `http://127.0.0.1:4242`. Its methods return promises, which
 * reject with a {@link GatewayError}.
 *
 * @param options credentials, and headers of all requests
 */
export const connect = (baseUrl: string, options: ClientOptions & Pick<CallOptions, "headers"> = {}): FlowGateway => {
  const client = Effect.runSync(
    Effect.provideService(make(baseUrl, options), HttpClient.HttpClient, fetchClient)
  ) as unknown as Untyped
  const servicesOf = ({ headers, onSent }: CallOptions) =>
    Context.make(RequestHeaders, { ...options.headers, ...headers }).pipe(
      Context.add(Progress, onSent),
      // No trace headers: nobody reads them, and browsers send them only with the server's consent.
      Context.add(HttpClient.TracerDisabledWhen, () => true)
    )

  /** Runs the effect. Rejects with its failure, or with the signal's reason if that interrupted it. */
  const run = async <A>(effect: Effect.Effect<A, unknown>, signal: AbortSignal | undefined): Promise<A> => {
    const exit = await Effect.runPromiseExit(effect, signal === undefined ? {} : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    const cause = Cause.squash(exit.cause)
    const problem = await undeclared(cause, signal)
    signal?.throwIfAborted()
    throw new GatewayError(problem ?? cause)
  }

  /** @param isOpen whether it holds a connection before its first item is taken */
  const items = (stream: Stream.Stream<unknown, unknown>, given: CallOptions, isOpen: boolean) => {
    const scope = Scope.makeUnsafe()
    const stopping = new AbortController()
    const signal = given.signal === undefined ? stopping.signal : AbortSignal.any([given.signal, stopping.signal])
    const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
    const open = () => {
      // The consumer may never ask for another item, so an abort has to be noticed here.
      signal.addEventListener("abort", close, { once: true })
      return run(Scope.provide(Stream.toPull(stream), scope), signal)
    }
    const opened = isOpen ? open() : undefined
    const taken = async function* (): AsyncGenerator<unknown, void> {
      try {
        const pull = await (opened ?? open())
        const next = Effect.catchIf(
          Effect.provideContext(pull, servicesOf(given)),
          Cause.isDone,
          () => Effect.undefined
        )
        for (;;) {
          const chunk = await run(next, signal)
          if (chunk === undefined) return
          yield* chunk
        }
      } catch (error) {
        if (!stopping.signal.aborted) throw error
      } finally {
        signal.removeEventListener("abort", close)
        await close()
      }
    }
    const iterator = taken()
    const returned = iterator.return.bind(iterator)
    // A generator's own `return` would wait for the pending item, which may never come.
    iterator.return = async (value) => {
      stopping.abort()
      await close()
      return returned(value)
    }
    return iterator
  }

  const call = async (method: Method, request: unknown, given: CallOptions = {}) => {
    const effect = method(request) as Effect.Effect<unknown, unknown>
    const answer = await run(Effect.provideContext(effect, servicesOf(given)), given.signal)
    return Stream.isStream(answer) ? readable(items(answer as Stream.Stream<unknown, unknown>, given, true)) : answer
  }

  const followed = (method: Method, request: unknown, given: CallOptions = {}) =>
    items(method(request) as Stream.Stream<unknown, unknown>, given, false)

  return Object.fromEntries(
    Object.entries(client).map(([group, methods]) => [
      group,
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [
          name,
          (request: unknown, given?: CallOptions) => (group === "follow" ? followed : call)(method, request, given)
        ])
      )
    ])
  ) as unknown as FlowGateway
}
