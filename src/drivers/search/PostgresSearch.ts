import { Context, Effect, Layer, Schedule, Semaphore, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { Statement } from "effect/sql/Statement"
import { fieldsOf } from "../../languages/query/aggregation/Aggregation.ts"
import { emptyAnswers } from "../../languages/query/aggregation/Answers.ts"
import type { Key, ReadOptions } from "../../languages/query/IndexedDocument.ts"
import { isIndexOf, named } from "../../languages/query/IndexName.ts"
import { all as matchAll, type Query } from "../../languages/query/Query.ts"
import type { SearchAddress } from "../../protocol/Places.ts"
import { unreachable, unreachableSource, unreachableWithin } from "../postgres/Unreachable.ts"
import { type MannerName, readAggregations } from "./aggregations/Aggregations.ts"
import { makeWrite } from "./Insert.ts"
import {
  type Index,
  lockIndex,
  monthOf,
  notFound,
  type Part,
  partsOf,
  resolve,
  stillThere,
  sweepParts,
  tableOf,
  unlink
} from "./indices/Catalog.ts"
import { knownFields } from "./indices/KnownFields.ts"
import { overview } from "./indices/Overview.ts"
import { nestedFields, type TypedPart, typedParts } from "./indices/PartTypes.ts"
import { isOverdue, missingIn, noneMissing } from "./reading/MissingFields.ts"
import { readPage } from "./reading/Page.ts"
import { atMost, groupsOf, tooManyParts } from "./reading/PartGroups.ts"
import { orElse } from "./reading/Readings.ts"
import { type Resumption, resumed, type Start } from "./reading/Resume.ts"
import {
  type Group,
  hitOf,
  isNeeded,
  keyOf,
  partsFor,
  rowOf,
  selectCount,
  selectFound,
  selectHits,
  selectLines,
  selectRows
} from "./reading/Select.ts"
import { type EncodedTo, encodedLines } from "./reading/Slices.ts"
import { begin, inSnapshot, isOutdated, lookAgain, type ReadsRows, streamed, sumOf } from "./reading/Snapshot.ts"
import { readSorted } from "./reading/Sorted.ts"
import { Search, TooManyIndices } from "./Search.ts"
import { connect } from "./SearchConnections.ts"
import { compacted } from "./statements/CompactStatement.ts"

/** The address of the database with the documents. */
export class SearchConfig extends Context.Service<SearchConfig, SearchAddress>()(
  "flow-gateway/layers/search/SearchConfig"
) {}

/** Concurrent searches of one tenant, so that none takes all connections. Further ones wait. */
const atOnce = 3

/** Target size of a slice in bytes. */
const sliceBytes = 6 * 1024 * 1024

/** How long a read waits for a database that is away. */
const patience = 10 * 60_000

/** Time limit of a page or a count. */
const pageLimit = "30 seconds"

const make = Effect.gen(function* () {
  const config = yield* SearchConfig
  const { sql, taps } = yield* connect(config)
  const write = makeWrite(sql)
  // Drops removed parts that were still being read when they were removed, perhaps by a gateway that has died.
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(sweepParts(sql)), Schedule.spaced("5 minutes")))
  const again = { while: isOutdated, times: 3 }

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

  const groupsFor = Effect.fnUntraced(function* (
    tenant: string,
    indices: ReadonlyArray<Index>,
    query: Query,
    statement: (group: Group) => Statement<object>,
    after?: Key
  ) {
    const parts = yield* partsFor(sql, tenant, indices, query, after)
    const one = { parts: parts.slice(0, 1), slice: { from: undefined, to: undefined } }
    if (parts.length === 0) return []
    const sample = statement(one)
    const groups = groupsOf(parts, { parameters: sample.compile()[1].length, pieces: sample.segments.length })
    return groups instanceof TooManyIndices ? yield* groups : groups
  })

  /** All rows of a statement on the parts of a search, in one snapshot for as long as the connection lasts. */
  const all = <Row>(
    tenant: string,
    pattern: string,
    query: Query,
    {
      counted,
      texts = [],
      ...resumption
    }: Omit<Resumption<Row>, "limit"> & Pick<ReadOptions, "counted"> & { readonly texts?: ReadonlyArray<string> },
    read: ReadsRows<Row>
  ) => {
    const open = ({ after, passed, indices }: Start, opened: (indices: ReadonlyArray<Index>) => void) =>
      Effect.gen(function* () {
        const found = yield* indices === undefined ? resolve(sql, tenant, pattern) : stillThere(sql, tenant, indices)
        const nested = texts.length === 0 ? new Set<string>() : yield* nestedFields(sql, tenant, pattern, texts)
        const { statement, rows } = read(after, nested)
        const groups = yield* groupsFor(tenant, found, query, statement, after)
        opened(found)
        const tell = counted && ((total: number) => counted(passed + total))
        if (groups.length > 0) {
          const counts = groups.map((group) => selectCount(sql, group, query, after))
          return rows(groups, tell && { counts, tell })
        }
        tell?.(0)
        return Stream.empty
      }).pipe(
        Stream.unwrap,
        Stream.retry(lookAgain),
        Stream.catchTag("PartsGone", (gone) => Stream.die(gone)),
        unreachableSource
      )
    return resumed({ ...resumption, limit: config.patience ?? patience }, open)
  }

  /** Reads all parts of a search by statements of one transaction; undefined when there are none. */
  const onParts = <A, E>(
    tenant: string,
    pattern: string,
    query: Query,
    { fields, hashing = false }: { readonly fields: ReadonlyArray<string>; readonly hashing?: boolean },
    read: (parts: ReadonlyArray<TypedPart>) => Effect.Effect<A, E>
  ) =>
    Effect.gen(function* () {
      const parts = (yield* typedParts(sql, tenant, pattern, fields, hashing)).filter(isNeeded(query))
      if (parts.length === 0) return undefined
      if (parts.length > atMost) return yield* tooManyParts(parts.length)
      return yield* read(parts)
    }).pipe(inSnapshot(sql), Effect.retry(again), inTurn(tenant))

  /** Removes documents of an index while nobody writes to it, and then drops the tables of unlinked parts. */
  const removing = Effect.fnUntraced(function* <E>(
    tenant: string,
    index: string,
    remove: (parts: ReadonlyArray<Part>, no: number) => Effect.Effect<unknown, E>
  ) {
    const no = yield* numberOf(tenant, index)
    const removed = Effect.gen(function* () {
      yield* lockIndex(sql, no, "alone")
      yield* remove(yield* partsOf(sql, tenant, [no]), no)
    })
    yield* sql.withTransaction(removed)
    yield* Effect.forkDetach(Effect.ignore(sweepParts(sql)))
  })

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
        const statement = (group: Group) => selectCount(sql, group, query)
        const groups = yield* groupsFor(tenant, yield* resolve(sql, tenant, pattern), query, statement)
        const [first, second] = groups
        if (first === undefined) return 0
        if (second === undefined) return (yield* compacted(sql, statement(first)))[0]?.count ?? 0
        const { released } = yield* begin(sql, groups)
        return yield* sumOf(groups.map(statement), released)
      }).pipe(Effect.scoped, Effect.retry(again), Effect.catchTag("PartsGone", Effect.die), inTurn(tenant))
    }, unreachableWithin(pageLimit)),

    read: (tenant, pattern, query, { after, counted } = {}) =>
      all(tenant, pattern, query, { after, counted, keyOf, documents: () => 1 }, (after) => {
        const statement = (group: Group) => selectHits(sql, group, query, { after })
        return { statement, rows: (groups, counted) => streamed(sql, groups, statement, counted) }
      }).pipe(Stream.mapArray(([first, ...rest]) => [hitOf(first), ...rest.map(hitOf)])),

    page: Effect.fn("Search.page")(function* (tenant, pattern, query, span) {
      return yield* Effect.gen(function* () {
        const statement = (group: Group) => selectFound(sql, group, query, { after: span.after, limit: span.limit + 1 })
        const groups = yield* groupsFor(tenant, yield* resolve(sql, tenant, pattern), query, statement, span.after)
        const [first, second] = groups
        if (first === undefined) return { hits: [], more: false }
        if (second === undefined) {
          const read = readPage(sql, (statement) => compacted(sql, statement), [first], query, span)
          return yield* inSnapshot(sql)(read)
        }
        const { get, releasing } = yield* begin(sql, groups)
        return yield* readPage(sql, get, groups, query, span, releasing)
      }).pipe(Effect.scoped, Effect.retry(again), Effect.catchTag("PartsGone", Effect.die), inTurn(tenant))
    }, unreachableWithin(pageLimit)),

    sorted: Effect.fn("Search.sorted")(function* (tenant, pattern, query, span) {
      const fields = span.sort.map(({ field }) => field)
      const read = (guesses: boolean) =>
        onParts(tenant, pattern, query, { fields }, (parts) => readSorted(sql, parts, query, span, guesses))
      return (yield* orElse(read(true), () => read(false))) ?? { hits: [], more: false }
    }, unreachableWithin(pageLimit)),

    aggregate: Effect.fn("Search.aggregate")(function* (tenant, pattern, query, aggregations) {
      const asked = { fields: fieldsOf(aggregations), hashing: true }
      const read = (manner: MannerName) =>
        onParts(tenant, pattern, query, asked, (parts) => readAggregations(sql, parts, query, aggregations, manner))
      const guessed = orElse(read("assumed"), () => read("typed"))
      return (yield* orElse(guessed, () => read("careful"))) ?? emptyAnswers(aggregations)
    }, unreachableWithin(pageLimit)),

    missingFields: Effect.fn("Search.missingFields")(function* (tenant, pattern, fields) {
      const unknown = () => Effect.succeed(noneMissing)
      const found = yield* onParts(tenant, pattern, matchAll, { fields: [] }, (parts) =>
        missingIn(sql, parts, fields)
      ).pipe(Effect.catchIf(isOverdue, unknown), Effect.catchTag("TooManyIndices", unknown))
      return found ?? noneMissing
    }, unreachableWithin(pageLimit)),

    fields: knownFields(sql),
    rows: (tenant, pattern, query, { after, counted, ...options }) => {
      const row = rowOf(options)
      const texts = options.as === "text" ? options.fields : []
      return all(tenant, pattern, query, { after, counted, keyOf, documents: () => 1, texts }, (after, nested) => {
        const statement = (group: Group) => selectRows(sql, group, query, { ...options, after, nested })
        return { statement, rows: (groups, counted) => streamed(sql, groups, statement, counted) }
      }).pipe(Stream.mapArray(([first, ...rest]) => [row(first), ...rest.map(row)]))
    },

    encoded: (tenant, pattern, query, { counted, ...options }) => {
      const keyOf = ({ last }: EncodedTo) => last
      const documents = ({ documents }: EncodedTo) => documents
      const asked = { after: undefined, counted, keyOf, documents, texts: options.fields }
      return all(tenant, pattern, query, asked, (after, nested) => ({
        statement: ({ parts, slice }) => selectLines(sql, parts, query, { ...options, after, nested }, slice),
        rows: (groups, counted) =>
          encodedLines(sql, taps, groups, query, {
            ...options,
            after,
            nested,
            counted,
            sliceBytes: config.sliceBytes ?? sliceBytes,
            connections: config.connections
          })
      }))
    },

    drop: Effect.fn("Search.drop")(function* (tenant, index) {
      yield* removing(tenant, index, (parts, no) =>
        Effect.andThen(unlink(sql, parts), sql`delete from search_indices where tenant = ${tenant} and no = ${no}`)
      )
    }, unreachable),

    expire: Effect.fn("Search.expire")(function* (tenant, index, before) {
      const month = monthOf(String(before))
      const isOver = (part: Part) => part.month !== "" && month !== "" && part.month < month
      const remove = Effect.fnUntraced(function* (parts: ReadonlyArray<Part>) {
        yield* unlink(sql, parts.filter(isOver))
        for (const { part } of parts.filter((part) => !isOver(part))) {
          yield* sql`delete from ${sql(tableOf(part))} where ts < ${String(before)}`
        }
      })
      yield* removing(tenant, index, remove)
    }, unreachableWithin("10 minutes"))
  })
})

/** A search backend that stores documents in PostgreSQL. */
export const layer = Layer.effect(Search, make).pipe(Layer.provide(Reactivity.layer))
