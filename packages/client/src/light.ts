import { type EndpointEntry, table } from "./EndpointTable.ts"
import { foreignAnswer, isForeign } from "./Foreign.ts"
import { hasStreams } from "./Form.ts"
import { GatewayError } from "./GatewayError.ts"
import type { CallOptions, FlowGateway } from "./promise.ts"

export { foreignAnswer, isForeign } from "./Foreign.ts"
export { type Content, form, type Part } from "./Form.ts"
export { GatewayError } from "./GatewayError.ts"
export type { CallOptions } from "./promise.ts"

/** The methods of the promise client, without those that follow output and events. */
export type LightGateway = Omit<FlowGateway, "follow">

/** The general form of a request, for all endpoints. */
interface Request {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly payload?: unknown
}

const addressOf = (baseUrl: string, { path, instants = [] }: EndpointEntry, { params = {}, query = {} }: Request) => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const url = new URL(baseUrl.replace(/\/$/, "") + filled)
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined) continue
      url.searchParams.append(name, instants.includes(name) ? new Date(Number(one)).toISOString() : String(one))
    }
  }
  return url
}

interface Body {
  readonly body?: FormData | Blob | string
  readonly headers?: Readonly<Record<string, string>>
}

const bodyOf = (payload: unknown): Body => {
  if (payload === undefined || payload === null) return {}
  if (payload instanceof FormData || payload instanceof Blob) {
    // Otherwise an empty file would be sent in place of each.
    if (hasStreams(payload)) throw new TypeError("The light client sends no streams: give it a Blob, or use connect")
    return { body: payload }
  }
  return { body: JSON.stringify(payload), headers: { "content-type": "application/json" } }
}

const failureOf = async (response: Response): Promise<GatewayError> => {
  const type = response.headers.get("content-type") ?? ""
  const problem: unknown = type.includes("json") ? await response.json().catch(() => undefined) : undefined
  return new GatewayError(
    typeof Object(problem).type === "string" ? problem : { response, toString: () => `HTTP ${response.status}` }
  )
}

/** Options of all requests, and of reading their answers. */
export interface LightOptions {
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>
  /** Reads JSON: `JSON.parse` by default, which knows numbers of 15 to 17 digits. */
  readonly parse?: (text: string) => unknown
}

const answerOf = async (
  response: Response,
  { isStream }: EndpointEntry,
  parse: (text: string) => unknown
): Promise<unknown> => {
  if (isStream) return response.body
  const type = response.headers.get("content-type") ?? ""
  const made: unknown = type.includes("json") ? parse(await response.text()) : (await response.text()) || undefined
  const version = response.headers.get("flow-version")
  const isObject = made === undefined || (typeof made === "object" && made !== null && !Array.isArray(made))
  return version !== null && isObject ? { ...made, version: Number(version) } : made
}

/**
 * Creates a client with the methods of `connect` of `@flow-gateway/client/promise`, but without `follow`, progress,
 * parts that are streams and checks of answers, for pages that have to load little. Its methods reject with a {@link
 * GatewayError}, or with the reason of the signal that ended the call.
 *
 * @param baseUrl of the gateway, such as `https://example.com/flow/`
 */
export const connectLight = (
  baseUrl: string,
  { parse = (text) => JSON.parse(text) as unknown, headers: common }: LightOptions = {}
): LightGateway => {
  const call = async (entry: EndpointEntry, request: Request = {}, { signal, headers }: CallOptions = {}) => {
    try {
      const { body, headers: own } = bodyOf(request.payload)
      const response = await fetch(addressOf(baseUrl, entry, request), {
        method: entry.method,
        headers: { ...common, ...own, ...headers },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal })
      })
      if (!response.ok) throw await failureOf(response)
      if (isForeign({ get: (name) => response.headers.get(name) })) {
        void response.body?.cancel()
        throw new GatewayError({ response, toString: () => foreignAnswer })
      }
      return await answerOf(response, entry, parse)
    } catch (cause) {
      signal?.throwIfAborted()
      throw cause instanceof GatewayError ? cause : new GatewayError(cause)
    }
  }
  const groups = Object.entries(table).map(([group, entries]) => [
    group,
    Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [
        name,
        (request?: Request, options?: CallOptions) => call(entry, request, options)
      ])
    )
  ])
  return Object.fromEntries(groups) as LightGateway
}
