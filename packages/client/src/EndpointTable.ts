import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../../src/Api.ts"

/** How an endpoint is called: its method and path, and its peculiarities. */
export interface EndpointEntry {
  readonly method: string
  /** With its parameters as `:name`. */
  readonly path: string
  /** The answer is a stream of bytes. */
  readonly isStream?: true
  /** Parameters of the query that are times: milliseconds in the program, ISO 8601 in the request. */
  readonly instants?: ReadonlyArray<string>
}

export type EndpointTable = Readonly<Record<string, Readonly<Record<string, EndpointEntry>>>>

const isBytes = (schema: unknown): boolean => Object(schema)._tag === "StreamUint8Array"

/** Whether a parameter of a query takes milliseconds and is sent as a text. */
const isInstant = (schema: Schema.Top): boolean => {
  try {
    return Schema.encodeUnknownSync(schema as Schema.Encoder<unknown>)(0) === new Date(0).toISOString()
  } catch {
    return false
  }
}

const instantsOf = (query: unknown): ReadonlyArray<string> => {
  const { schema = query } = Object(query) as { readonly schema?: unknown }
  const { fields = {} } = Object(schema) as { readonly fields?: Readonly<Record<string, Schema.Top>> }
  return Object.keys(fields).filter((name) => isInstant(fields[name]!))
}

/** All endpoints by group and name. The bundle of the light client holds the result, not the interface. */
export const endpointTable = (): EndpointTable => {
  const table: Record<string, Record<string, EndpointEntry>> = {}
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const { method, path, query, success } = endpoint
      const instants = instantsOf(query)
      const isStream = [...success].some((schema) => isBytes(schema) || isBytes(Object(schema).schema))
      table[group.identifier] ??= {}
      table[group.identifier]![endpoint.identifier] = {
        method,
        path,
        ...(isStream ? { isStream } : {}),
        ...(instants.length > 0 ? { instants } : {})
      }
    }
  })
  return table
}

export const table: EndpointTable = endpointTable()
