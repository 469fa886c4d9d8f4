import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { Search, type TooManyIndices } from "../../drivers/search/Search.ts"
import { BadRequest } from "../../errors/BadRequest.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { readRaw } from "../../languages/json/JsonNumbers.ts"
import { dateMath } from "../../languages/query/DateMath.ts"
import { valueAt } from "../../languages/query/Evaluate.ts"
import type { Hit, IndexInfo, Key } from "../../languages/query/IndexedDocument.ts"
import type { Query } from "../../languages/query/Query.ts"
import { parseQuery } from "../../languages/query/QueryParser.ts"
import { Audit } from "../audit/Audit.ts"
import { pageBytes } from "../shared/Listing.ts"
import { issuesOf } from "../shared/RequestIssues.ts"
import { strict } from "../shared/RequestProblems.ts"
import type { TenantId } from "../shared/Tenant.ts"
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

const refuse = (part: string, pointer: string, detail: string) =>
  new BadRequest({ detail: "The search request is invalid", issues: [{ part, pointer, detail }] })

const decodeCursor = (cursor: string): Effect.Effect<Key, BadRequest> => {
  const decoded = Result.flatMap(Base64Url.decodeString(cursor), Schema.decodeUnknownResult(Cursor))
  if (Result.isFailure(decoded)) return refuse("body", "/cursor", "Expected the cursor of a page")
  const [, at, id, index] = decoded.success
  if (BigInt.asIntN(64, BigInt(at)) !== BigInt(at)) return refuse("body", "/cursor", "Expected the cursor of a page")
  return Effect.succeed({ at, id, index })
}

/** A search of too many indices is a fault of the request. */
const refused = <A>(self: Effect.Effect<A, NotFound | StorageUnreachable | TooManyIndices>) =>
  Effect.catchTag(self, "TooManyIndices", ({ detail }) => refuse("body", "/index", detail))

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

/** Parses the query of a request. `now` is in epoch milliseconds. */
const queryOf = (value: unknown, now: number): Effect.Effect<Query, BadRequest> =>
  Result.match(parseQuery(value, now, "/query"), {
    onSuccess: (query) => Effect.succeed(query),
    onFailure: (issues) => Effect.fail(new BadRequest({ detail: "The query is invalid", issues }))
  })

type Failure = BadRequest | NotFound | StorageUnreachable

/** Lists, searches and deletes the tenant's indices. */
export class Searches extends Context.Service<
  Searches,
  {
    readonly indices: (tenant: TenantId) => Effect.Effect<ReadonlyArray<IndexInfo>, StorageUnreachable>
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
      const decode = Schema.decodeUnknownEffect(SearchRequest, strict)
      return Searches.of({
        indices: search.indices,
        page: Effect.fn("Searches.page")(function* (tenant, body) {
          const request = yield* Effect.mapError(
            decode(body),
            (error) => new BadRequest({ detail: "The search request is invalid", issues: issuesOf(error, "body") })
          )
          const query = yield* queryOf(request.query ?? {}, yield* Clock.currentTimeMillis)
          const after = request.cursor === undefined ? undefined : yield* decodeCursor(request.cursor)
          const limit = request.limit ?? 100
          const { hits, more } = yield* search
            .page(tenant, request.index, query, { limit, bytes: pageBytes, after })
            .pipe(refused)
          const last = hits.at(-1)
          const total =
            request.total === true ? yield* search.count(tenant, request.index, query).pipe(refused) : undefined
          const documents = hits.map(
            (hit) =>
              `{"id":${JSON.stringify(hit.id)},"index":${JSON.stringify(hit.index)},"source":${sourceOf(hit, request.fields)}}`
          )
          const members = [
            `"documents":[${documents.join(",")}]`,
            ...(total === undefined ? [] : [`"total":${total}`]),
            ...(more && last !== undefined ? [`"cursor":"${encodeCursor(last)}"`] : [])
          ]
          return `{${members.join(",")}}`
        }),
        remove: Effect.fn("Searches.remove")(function* (tenant, index, before) {
          const begin = Effect.gen(function* () {
            // What does not exist is not changed.
            if (!(yield* search.resolve(tenant, index)).includes(index)) return
            const target = before === undefined ? index : `${index}?before=${before}`
            yield* audit.begin({ tenant, action: "search.removeIndex", target })
          })
          if (before === undefined) return yield* Effect.andThen(begin, search.drop(tenant, index))
          const now = yield* Clock.currentTimeMillis
          const millis = dateMath(before, false, { now, offset: () => 0, formats: [] })
          if (millis === undefined)
            return yield* refuse("query", "/before", "Expected a date, or date math such as now-30d/d")
          yield* Effect.andThen(begin, search.expire(tenant, index, millis))
        })
      })
    })
  )
}
