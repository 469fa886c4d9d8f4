import { Context, Effect, Layer, Schedule, Semaphore, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlError } from "effect/sql/SqlError"
import type { ReadOptions } from "../../languages/query/IndexedDocument.ts"
import { isIndexOf, named } from "../../languages/query/IndexName.ts"
import type { Query } from "../../languages/query/Query.ts"
import type { SearchAddress } from "../../protocol/Places.ts"
import { sqlState } from "../postgres/SqlState.ts"
import { unreachable, unreachableSource, unreachableWithin } from "../postgres/Unreachable.ts"
import { lockIndex, monthOf, notFound, type Part, partsOf, resolve, sweepParts, tableOf, unlink } from "./Catalog.ts"
import { makeWrite } from "./Insert.ts"
import { overview } from "./Overview.ts"
import { readPage } from "./Page.ts"
import { Search } from "./Search.ts"
import { connect } from "./SearchAddress.ts"
import { hitOf, partsFor, rowOf, selectCount, selectHits, selectRows } from "./Select.ts"
import { encodedLines } from "./Slices.ts"
import { type Counted, streamed } from "./Snapshot.ts"

/** The address of the database with the documents. */
export class SearchConfig extends Context.Service<SearchConfig, SearchAddress>()(
  "flow-gateway/layers/search/SearchConfig"
) {}

/**
 * Maximum number of concurrent searches of one tenant, so that no tenant takes all connections. Further searches wait.
 */
const atOnce = 3

/** Target size of a slice in bytes. */
const sliceBytes = 6 * 1024 * 1024

/** Time limit of a page or a count. */
const pageLimit = "30 seconds"

/** The part was dropped after the catalogue was read. */
const isDropped = (error: unknown): boolean => error instanceof SqlError && sqlState(error.reason.cause) === "42P01"

/** Retrying is safe: a statement fails with this error only before its first row. */
const lookAgain = Schedule.while(Schedule.recurs(3), ({ input }: { readonly input: unknown }) => isDropped(input))

const make = Effect.gen(function* () {
  const config = yield* SearchConfig
  const sql = yield* connect(config)
  const write = makeWrite(sql)
  // Drops removed parts that were still being read when they were removed, perhaps by a gateway that has died.
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(sweepParts(sql)), Schedule.spaced("5 minutes")))
  const again = { while: isDropped, times: 3 }

  const turns = new Map<string, Semaphore.Semaphore>()
  const inTurn = (tenant: string) => {
    const known = turns.get(tenant) ?? Semaphore.makeUnsafe(atOnce)
    turns.set(tenant, known)
    return known.withPermits(1)
  }

  const numberOf = Effect.fnUntraced(function* (tenant: string, index: string) {
    const isName = named(index).names[0] === index
    const [found] = isName ? yield* resolve(sql, tenant, index) : []
    return found === undefined ? yield* notFound(tenant, index) : found.no
  })

  /** All rows of a statement on the parts of a search; none if there are no parts. */
  const all = <A, E>(
    tenant: string,
    pattern: string,
    query: Query,
    { after, counted }: ReadOptions,
    rows: (parts: ReadonlyArray<Part>, counted: Counted | undefined) => Stream.Stream<A, E>
  ) =>
    Effect.map(partsFor(sql, tenant, pattern, after), (parts) => {
      if (parts.length > 0) {
        return rows(parts, counted && { count: selectCount(sql, parts, query, after), tell: counted })
      }
      counted?.(0)
      return Stream.empty
    }).pipe(Stream.unwrap, Stream.retry(lookAgain))

  return Search.of({
    indices: Effect.fn("Search.indices")(function* (tenant) {
      return yield* inTurn(tenant)(Effect.retry(overview(sql, tenant), again))
    }, unreachableWithin(pageLimit)),

    resolve: Effect.fn("Search.resolve")(function* (tenant, pattern) {
      return (yield* resolve(sql, tenant, pattern)).map(({ name }) => name)
    }, unreachable),

    write: Effect.fn("Search.write")(function* (tenant, index, documents) {
      if (!isIndexOf(tenant, index)) return yield* notFound(tenant, index)
      return yield* Effect.catchTag(write(tenant, index, documents), "IndexGone", () => notFound(tenant, index))
    }, unreachableWithin(pageLimit)),

    count: Effect.fn("Search.count")(function* (tenant, pattern, query) {
      return yield* Effect.gen(function* () {
        const parts = yield* partsFor(sql, tenant, pattern)
        if (parts.length === 0) return 0
        const [row] = yield* selectCount(sql, parts, query)
        return row?.count ?? 0
      }).pipe(Effect.retry(again), inTurn(tenant))
    }, unreachableWithin(pageLimit)),

    read: (tenant, pattern, query, options = {}) =>
      all(tenant, pattern, query, options, (parts, counted) =>
        Stream.mapArray(streamed(sql, selectHits(sql, parts, query, options), counted), ([first, ...rest]) => [
          hitOf(first),
          ...rest.map(hitOf)
        ])
      ).pipe(unreachableSource),

    page: Effect.fn("Search.page")(function* (tenant, pattern, query, span) {
      return yield* Effect.gen(function* () {
        const parts = yield* partsFor(sql, tenant, pattern, span.after)
        if (parts.length === 0) return { hits: [], more: false }
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set transaction isolation level repeatable read read only`
            return yield* readPage(sql, parts, query, span)
          })
        )
      }).pipe(Effect.retry(again), inTurn(tenant))
    }, unreachableWithin(pageLimit)),

    rows: (tenant, pattern, query, options) => {
      const row = rowOf(options)
      return all(tenant, pattern, query, options, (parts, counted) =>
        Stream.mapArray(streamed(sql, selectRows(sql, parts, query, options), counted), ([first, ...rest]) => [
          row(first),
          ...rest.map(row)
        ])
      ).pipe(unreachableSource)
    },

    encoded: (tenant, pattern, query, options) =>
      all(tenant, pattern, query, options, (parts, counted) =>
        encodedLines(sql, parts, query, {
          ...options,
          counted,
          sliceBytes: config.sliceBytes ?? sliceBytes,
          connections: config.connections
        })
      ).pipe(unreachableSource),

    drop: Effect.fn("Search.drop")(function* (tenant, index) {
      const no = yield* numberOf(tenant, index)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* lockIndex(sql, no, "alone")
          const parts = yield* partsOf(sql, tenant, [no])
          yield* unlink(
            sql,
            parts.map(({ part }) => part)
          )
          yield* sql`delete from search_indices where tenant = ${tenant} and no = ${no}`
        })
      )
      yield* Effect.forkDetach(Effect.ignore(sweepParts(sql)))
    }, unreachable),

    expire: Effect.fn("Search.expire")(function* (tenant, index, before) {
      const no = yield* numberOf(tenant, index)
      const month = monthOf(String(before))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* lockIndex(sql, no, "alone")
          const parts = yield* partsOf(sql, tenant, [no])
          const over = parts.filter((part) => part.month !== "" && month !== "" && part.month < month)
          yield* unlink(
            sql,
            over.map(({ part }) => part)
          )
          for (const { part } of parts.filter((part) => !over.includes(part))) {
            yield* sql`delete from ${sql(tableOf(part))} where ts < ${String(before)}`
          }
        })
      )
      yield* Effect.forkDetach(Effect.ignore(sweepParts(sql)))
    }, unreachableWithin("10 minutes"))
  })
})

/** A search backend that stores documents in PostgreSQL. */
export const layer = Layer.effect(Search, make).pipe(Layer.provide(Reactivity.layer))
