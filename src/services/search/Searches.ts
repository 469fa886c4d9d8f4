import { Clock, Context, Effect, Layer, Predicate, Result, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { type Fields, Search, type TooManyIndices } from "../../drivers/search/Search.ts"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { readRaw } from "../../languages/json/JsonNumbers.ts"
import { type EmptyField, emptyFields } from "../../languages/query/aggregation/EmptyFields.ts"
import type { TooManyBuckets } from "../../languages/query/aggregation/Grouping.ts"
import { dateMath } from "../../languages/query/DateMath.ts"
import { valueAt } from "../../languages/query/FieldName.ts"
import type { Hit, IndexInfo, Key } from "../../languages/query/IndexedDocument.ts"
import type { Query } from "../../languages/query/Query.ts"
import { parseQuery } from "../../languages/query/QueryParser.ts"
import { maxSuggestions } from "../../languages/Suggest.ts"
import { Audit } from "../audit/Audit.ts"
import { pageBytes } from "../shared/reads/Listing.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { issuesOf } from "../shared/requests/SchemaIssues.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { fieldWarnings, unsortedFields } from "./FieldWarnings.ts"
import { aggregationsOf, encodeSorted, type Order, orderOf, sortText } from "./Order.ts"
import { SearchRequest } from "./SearchRequest.ts"

const Cursor = Schema.fromJsonString(
  Schema.Tuple([
    Schema.Literal("search"),
    Schema.String.check(Schema.isPattern(/^-?\d{1,19}$/)),
    Schema.String,
    Schema.String
  ])
)

const encodeCursor = ({ at, id, index }: Key): string => Base64Url.encode(JSON.stringify(["search", at, id, index]))

const refuse = (issues: ReadonlyArray<Issue>) => new BadRequest({ detail: "The search request is invalid", issues })

const refusePart = (part: string, pointer: string, detail: string) => refuse([{ part, pointer, detail }])

const inBody = (issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> =>
  issues.map((issue) => ({ part: "body", ...issue }))

const decodeCursor = (cursor: string): Effect.Effect<Key, BadRequest> => {
  const decoded = Result.flatMap(Base64Url.decodeString(cursor), Schema.decodeUnknownResult(Cursor))
  if (Result.isFailure(decoded)) return refusePart("body", "/cursor", "Expected the cursor of a page")
  const [, at, id, index] = decoded.success
  if (BigInt.asIntN(64, BigInt(at)) !== BigInt(at))
    return refusePart("body", "/cursor", "Expected the cursor of a page")
  return Effect.succeed({ at, id, index })
}

/** A search of too many indices, or for too many buckets, is a fault of the request. */
const refused = <A>(self: Effect.Effect<A, NotFound | StorageUnreachable | TooManyBuckets | TooManyIndices>) =>
  Effect.catchTags(self, {
    TooManyBuckets: ({ pointer, detail }) => refusePart("body", pointer, detail),
    TooManyIndices: ({ detail }) => refusePart("body", "/index", detail)
  })

/** The source of a hit as JSON text: as stored, or reduced to some fields. */
const sourceOf = ({ source }: Hit, fields: ReadonlyArray<string> | undefined): string => {
  if (fields === undefined) return source
  const document = readRaw(source)
  return JSON.stringify(
    Object.fromEntries(
      fields.flatMap((field) => {
        const value = valueAt(document, field.split("."))
        return value === undefined ? [] : [[field, value] as const]
      })
    )
  )
}

const membersOf = (hit: Hit, fields: ReadonlyArray<string> | undefined): string =>
  `"id":${JSON.stringify(hit.id)},"index":${JSON.stringify(hit.index)},"source":${sourceOf(hit, fields)}`

/** What a request asks for, besides its index. `now` is in epoch milliseconds. Fails with all faults. */
const askedOf = Effect.fnUntraced(function* (request: SearchRequest, now: number) {
  const parsed = parseQuery(request.query ?? {}, now, "/query")
  const order = yield* Effect.result(orderOf(request))
  const aggregations = yield* Effect.result(aggregationsOf(request, now))
  if (Result.isSuccess(parsed) && Result.isSuccess(order) && Result.isSuccess(aggregations)) {
    return { query: parsed.success, order: order.success, aggregations: aggregations.success }
  }
  return yield* refuse([
    ...(Result.isFailure(parsed) ? inBody(parsed.failure) : []),
    ...(Result.isFailure(order) ? (order.failure.issues ?? []) : []),
    ...(Result.isFailure(aggregations) ? (aggregations.failure.issues ?? []) : [])
  ])
})

/** The faults of a query in a body that has other faults. */
const queryFaultsOf = (body: unknown, now: number): ReadonlyArray<Issue> => {
  const query = Predicate.isObject(body) && Predicate.isObject(body["query"]) ? body["query"] : {}
  return Result.match(parseQuery(query, now, "/query"), { onSuccess: () => [], onFailure: inBody })
}

const decode = Schema.decodeUnknownEffect(SearchRequest, strict)

/** Decodes a search request, or names all its faults. */
export const readSearch = Effect.fnUntraced(function* (body: unknown) {
  const now = yield* Clock.currentTimeMillis
  const request = yield* Effect.mapError(decode(body), (error) =>
    refuse([...issuesOf(error, "body"), ...queryFaultsOf(body, now)])
  )
  return { request, ...(yield* askedOf(request, now)) }
})

type Failure = BadRequest | NotFound | StorageUnreachable

/** Lists, searches and deletes the tenant's indices. */
export class Searches extends Context.Service<
  Searches,
  {
    readonly indices: (tenant: TenantId) => Effect.Effect<ReadonlyArray<IndexInfo>, StorageUnreachable>
    readonly fields: (tenant: TenantId, pattern: string) => Effect.Effect<Fields, NotFound | StorageUnreachable>
    /** A page of results as JSON text, in which numbers keep all their digits. */
    readonly page: (tenant: TenantId, body: unknown) => Effect.Effect<string, Failure>
    readonly remove: (tenant: TenantId, index: string, before: string | undefined) => Effect.Effect<void, Failure>
  }
>()("flow/search/Searches") {
  static readonly layer = Layer.effect(
    Searches,
    Effect.gen(function* () {
      const search = yield* Search
      const audit = yield* Audit
      /** A page in the order of the index. */
      const inOrder = Effect.fnUntraced(function* (tenant: TenantId, request: SearchRequest, query: Query) {
        const after = request.cursor === undefined ? undefined : yield* decodeCursor(request.cursor)
        const span = { limit: request.limit ?? 100, bytes: pageBytes, after }
        const { hits, more } = yield* search.page(tenant, request.index, query, span).pipe(refused)
        const last = hits.at(-1)
        return {
          documents: hits.map((hit) => `{${membersOf(hit, request.fields)}}`),
          cursor: more && last !== undefined ? encodeCursor(last) : undefined,
          empty: []
        }
      })
      /** A page in another order. */
      const sorted = Effect.fnUntraced(function* (
        tenant: TenantId,
        request: SearchRequest,
        query: Query,
        { sort, from, limit, after }: Order
      ) {
        if (limit === 0) {
          yield* search.resolve(tenant, request.index)
          return { documents: [], cursor: undefined, empty: [] }
        }
        const span = { sort, from, limit, bytes: pageBytes, after }
        const { hits, more } = yield* search.sorted(tenant, request.index, query, span).pipe(refused)
        const last = hits.at(-1)
        return {
          documents: hits.map((hit) => `{${membersOf(hit, request.fields)},"sort":${sortText(hit.sort)}}`),
          cursor: more && last !== undefined ? encodeSorted(last) : undefined,
          empty: unsortedFields(
            sort,
            request.sort,
            hits.map((hit) => hit.sort)
          )
        }
      })
      /** Looks up only fields that gave nothing, so that other searches cost nothing. */
      const warningsOf = Effect.fnUntraced(function* (tenant: TenantId, index: string, all: ReadonlyArray<EmptyField>) {
        const empty = all.slice(0, maxSuggestions)
        if (empty.length === 0) return []
        const fields = empty.map(({ field }) => field)
        const { missing, known } = yield* search.missingFields(tenant, index, fields)
        return fieldWarnings(empty, missing, known)
      })
      return Searches.of({
        indices: search.indices,
        fields: search.fields,
        page: Effect.fn("Searches.page")(function* (tenant, body) {
          const { request, query, order, aggregations } = yield* readSearch(body)
          const { documents, cursor, empty } = yield* order === undefined
            ? inOrder(tenant, request, query)
            : sorted(tenant, request, query, order)
          const total =
            request.total === true ? yield* search.count(tenant, request.index, query).pipe(refused) : undefined
          const answers =
            aggregations === undefined
              ? undefined
              : yield* search.aggregate(tenant, request.index, query, aggregations).pipe(refused)
          const found = aggregations === undefined || answers === undefined ? [] : emptyFields(aggregations, [answers])
          const warnings = yield* warningsOf(tenant, request.index, [...empty, ...found])
          const members = [
            `"documents":[${documents.join(",")}]`,
            ...(total === undefined ? [] : [`"total":${total}`]),
            ...(answers === undefined ? [] : [`"aggregations":${JSON.stringify(answers)}`]),
            ...(warnings.length === 0 ? [] : [`"warnings":${JSON.stringify(warnings)}`]),
            ...(cursor === undefined ? [] : [`"cursor":"${cursor}"`])
          ]
          return `{${members.join(",")}}`
        }),
        remove: Effect.fn("Searches.remove")(function* (tenant, index, before) {
          const begin = Effect.gen(function* () {
            // An index that does not exist is not changed, so the audit gets no row.
            if (!(yield* search.resolve(tenant, index)).includes(index)) return
            const target = before === undefined ? index : `${index}?before=${before}`
            yield* audit.begin({ tenant, action: "search.removeIndex", target })
          })
          if (before === undefined) return yield* Effect.andThen(begin, search.drop(tenant, index))
          const now = yield* Clock.currentTimeMillis
          const millis = dateMath(before, false, { now, offset: () => 0, formats: [] })
          if (millis === undefined)
            return yield* refusePart("query", "/before", "Expected a date, or date math such as now-30d/d")
          yield* Effect.andThen(begin, search.expire(tenant, index, millis))
        })
      })
    })
  )
}
