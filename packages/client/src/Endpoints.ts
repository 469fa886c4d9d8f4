import type { Schema } from "effect"
import { Effect } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import type { HttpApiClient, HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import type { Api } from "../../../src/Api.ts"

/** The groups of endpoints, by name. */
export type Groups = typeof Api extends { readonly groups: infer Groups } ? Groups : never
export type Endpoint = HttpApiEndpoint.ConstraintRequest

/** The parameter of a method. */
export type Request<E extends Endpoint> = HttpApiEndpoint.ClientRequest<
  E["~Params"],
  E["~Query"],
  E["~Payload"],
  E["~Headers"],
  "decoded-only"
>

/** The created object with its version number, which the answer carries in a header. */
export type Versioned<A> = (A extends object ? A : unknown) & { readonly version: number }

/** The endpoints that create a version but answer without its number in the body, by group. */
const making = { registry: "create" } as const
export type MakingOf<Group> = Group extends keyof typeof making ? (typeof making)[Group] : never

/** The endpoints that may be called without a body, by group. */
const optional = { flowlines: "execute" } as const
export type OptionalOf<Group> = Group extends keyof typeof optional ? (typeof optional)[Group] : never

/** A request whose body may be omitted. */
export type WithoutBody<R> = R extends { readonly payload: infer Body }
  ? Omit<R, "payload" | "responseMode"> & { readonly payload?: Body }
  : R

/** The failures of a method. */
export type ErrorsOf<E extends Endpoint> =
  | HttpApiMiddleware.Error<E["~Middleware"]>
  | E["~Error"]["Type"]
  | HttpClientError.HttpClientError
  | Schema.SchemaError

type Answered<E extends Endpoint, A> = Effect.Effect<A, ErrorsOf<E>>

type Making<E> = E extends Endpoint
  ? (request: Omit<Request<E>, "responseMode">) => Answered<E, Versioned<HttpApiClient.SuccessType<E["~Success"]>>>
  : never

type Optional<E> = E extends Endpoint
  ? (request: WithoutBody<Request<E>>) => Answered<E, HttpApiClient.SuccessType<E["~Success"]>>
  : never

type Derived = HttpApiClient.ForApi<typeof Api>

/** The groups whose endpoints need another signature than the one that Effect derives. */
type Adapted = keyof typeof making | keyof typeof optional

/** A method for every endpoint, by group, with the problems that it can fail with. */
export type Endpoints = Omit<Derived, Adapted> & {
  readonly [Group in Adapted]: Omit<Derived[Group], MakingOf<Group> | OptionalOf<Group>> & {
    readonly [Name in MakingOf<Group>]: Making<Groups[Group]["endpoints"][Name & keyof Groups[Group]["endpoints"]]>
  } & {
    readonly [Name in OptionalOf<Group>]: Optional<Groups[Group]["endpoints"][Name & keyof Groups[Group]["endpoints"]]>
  }
}

type Call = (request: object) => Effect.Effect<readonly [object | undefined, HttpClientResponse.HttpClientResponse]>

/** Adds the version number to the answers of these endpoints, and a body to calls without one. */
export const withVersions = (derived: Derived): Endpoints => {
  const all = { ...derived } as unknown as Record<string, Readonly<Record<string, Call>>>
  for (const [group, name] of Object.entries(making)) {
    const { [name]: call, ...others } = all[group]!
    const versioned = (request: object) =>
      Effect.map(call!({ ...request, responseMode: "decoded-and-response" }), ([made, { headers }]) => ({
        ...made,
        version: +headers["flow-version"]!
      }))
    all[group] = { ...others, [name]: versioned as unknown as Call }
  }
  for (const [group, name] of Object.entries(optional)) {
    const { [name]: call, ...others } = all[group]!
    all[group] = { ...others, [name]: (request) => call!({ payload: null, ...request }) }
  }
  return all as unknown as Endpoints
}
