import { Effect, Queue, Semaphore, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { EncodedDocuments, EncodedOptions, Key, RowEncoding } from "../../../languages/query/IndexedDocument.ts"
import type { Query } from "../../../languages/query/Query.ts"
import { type Part, tableOf } from "../indices/Catalog.ts"
import { type RowTaps, TappedRows } from "../RowTap.ts"
import { conditionFor } from "../statements/Where.ts"
import {
  type Cut,
  endOf,
  following,
  framed,
  type Group,
  keyIn,
  type LineRow,
  mayHold,
  type Slice,
  selectLines
} from "./Select.ts"
import { begin, type CountedRows, countIn, type Moment, momentOf, type PartsGone, totalled } from "./Snapshot.ts"

/** Maximum number of connections that read in parallel. */
const mostReaders = 2

/** With fewer slices, one connection finishes before the sampling pays off. */
const leastSlices = 8

/** Number of table pages that are sampled to find the slice boundaries: about ten thousand small documents. */
const sampledPages = 400

/** Sizes in bytes: of a piece that is emitted, and of what a reader may buffer ahead. */
const piece = 512 * 1024
const ahead = 8 * 1024 * 1024

interface PartSize {
  readonly bytes: number
  readonly pages: number
  readonly used: number
  readonly most: number
}

/** The size of the tables and the number of free connections of the server. */
const selectPartSizes = (sql: SqlClient.SqlClient, parts: ReadonlyArray<Part>) => sql<PartSize>`
  select
    coalesce(sum(pg_table_size(name)), 0)::float8 as bytes,
    coalesce(sum(pg_relation_size(name)), 0)::float8 / current_setting('block_size')::float8 as pages,
    (select count(*) from pg_stat_activity where backend_type = 'client backend')::float8 as used,
    current_setting('max_connections')::float8 as most
  from (
    select to_regclass(name) as name from unnest(${parts.map(({ part }) => tableOf(part))}::text[]) as names (name)
  ) as tables`

/**
 * The starts of slices of about this many bytes, including the first. They are estimated from a sample of pages; the
 * result does not depend on their accuracy.
 */
const selectCuts = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  query: Query,
  after: Key | undefined,
  { pages, bytes }: { readonly pages: number; readonly bytes: number }
) => {
  const percent = Math.min(100, (100 * sampledPages) / Math.max(1, pages))
  const condition = conditionFor(sql, query)
  const samples = parts.map(
    ({ part, index }) => sql`
      select ts, id, pg_column_size(doc)::float8 as bytes
      from ${sql(tableOf(part))} tablesample system (${percent}::float8)
      where ${following(sql, index, after)} and ${condition(index)}`
  )
  return sql<Cut>`
    select distinct on (slice) ts::text as at, id from (
      select ts, id, floor(sum(bytes) over (order by ts, id rows unbounded preceding)
        * ${100 / percent}::float8 / ${bytes}::float8) as slice
      from (${sql.join(" union all ", false)(samples)}) as sampled
    ) as placed
    order by slice, ts, id`
}

/** Encoded documents with the key of the last one. */
export interface EncodedTo extends EncodedDocuments {
  readonly last: Key
}

/** A part of the output of a slice, with what makes room for more of its reader, or the end of the slice. */
type Made = { readonly encoded: EncodedTo; readonly taken: Effect.Effect<unknown> } | "end"

type Output = Queue.Queue<Made, SqlError>

/** Slices in their order: whoever is free reads the next one, and the outputs are taken in that order, too. */
class Turns {
  readonly slices: ReadonlyArray<Slice>
  #next = 0
  /** Of the slices that are read or waited for. */
  readonly #outputs = new Map<number, Output>()

  constructor(slices: ReadonlyArray<Slice>) {
    this.slices = slices
  }

  /** The place of the next slice to read. */
  next(): number | undefined {
    return this.#next < this.slices.length ? this.#next++ : undefined
  }

  output(at: number): Effect.Effect<Output> {
    return Effect.map(Queue.unbounded<Made, SqlError>(), (made) => {
      const output = this.#outputs.get(at) ?? made
      this.#outputs.set(at, output)
      return output
    })
  }

  /** What is made of a slice, as it comes. */
  take(at: number): Stream.Stream<EncodedTo, SqlError> {
    return Stream.unwrap(
      Effect.map(this.output(at), (output) =>
        Stream.fromEffectRepeat(
          Effect.tap(Queue.take(output), (made) => (made === "end" ? Effect.void : made.taken))
        ).pipe(
          Stream.takeWhile((made) => made !== "end"),
          Stream.map(({ encoded }) => encoded),
          Stream.ensuring(Effect.sync(() => this.#outputs.delete(at)))
        )
      )
    )
  }
}

/** Reads one slice after the other, and pauses when its buffer is full. */
const read = Effect.fnUntraced(function* (
  turns: Turns,
  rowsOf: (slice: Slice, mark: string) => Stream.Stream<LineRow, SqlError>,
  taps: RowTaps,
  { fields, encoder }: RowEncoding
) {
  const room = Semaphore.makeUnsafe(ahead)
  const lines = encoder()
  let reading: TappedRows | undefined
  const give = (output: Output, rows: TappedRows, last: Key) =>
    Effect.suspend(() => {
      const encoded = { ...rows.take(), last }
      const permits = Math.min(encoded.bytes.length, ahead)
      // The connection reads on by itself, so it has to wait as well.
      rows.pause()
      return room
        .take(permits)
        .pipe(
          Effect.ensuring(Effect.sync(() => rows.resume())),
          Effect.andThen(Queue.offer(output, { encoded, taken: room.release(permits) }))
        )
    })
  const readSlice = (slice: Slice, output: Output) =>
    Effect.suspend(() => {
      const rows = new TappedRows({ encoder: lines, fields: fields.length, piece })
      reading = rows
      const mark = taps.mark(rows)
      /** The keys of the pieces that end in a chunk. */
      const keysIn = (chunk: ReadonlyArray<LineRow>): ReadonlyArray<Key> =>
        chunk.flatMap((row) => {
          const key = keyIn(row)
          if (rows.isTapped) return key ?? []
          rows.add(framed(row, fields.length), 0)
          if (key === undefined || lines.size < piece) return []
          rows.cut()
          return key
        })
      return Stream.runForEachArray(rowsOf(slice, mark), (chunk) =>
        Effect.forEach(keysIn(chunk), (key) => give(output, rows, key), { discard: true })
      ).pipe(
        Effect.andThen(Effect.suspend(() => (rows.end() ? give(output, rows, endOf(slice)) : Effect.void))),
        Effect.andThen(Queue.offer(output, "end")),
        Effect.ensuring(Effect.sync(() => taps.forget(mark)))
      )
    })
  const readAll = Effect.gen(function* () {
    for (let at = turns.next(); at !== undefined; at = turns.next()) {
      const output = yield* turns.output(at)
      const exit = yield* Effect.exit(readSlice(turns.slices[at]!, output))
      if (exit._tag === "Failure") return yield* Queue.failCause(output, exit.cause)
    }
  })
  yield* Effect.forkScoped(readAll)
  // Runs before the fiber is interrupted, which waits for the end of the statement's answer.
  yield* Effect.addFinalizer(() => Effect.sync(() => reading?.stop()))
})

/**
 * Encodes lines of all matching documents, in result order and from one snapshot. For large results several connections
 * read slices in parallel; if the server has few connections, one reads everything.
 */
export const encodedLines = (
  sql: SqlClient.SqlClient,
  taps: RowTaps,
  groups: ReadonlyArray<Group>,
  query: Query,
  {
    sliceBytes,
    connections,
    counted,
    ...options
  }: Omit<EncodedOptions, "counted"> & {
    readonly sliceBytes: number
    readonly connections: number
    readonly counted: CountedRows | undefined
    readonly after: Key | undefined
    /** Fields that may be lists or objects. */
    readonly nested: ReadonlySet<string>
  }
): Stream.Stream<EncodedTo, SqlError | PartsGone> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const isGrouped = groups.length > 1
      const parts = groups[0]?.parts ?? []
      const [room] = isGrouped ? [] : yield* selectPartSizes(sql, parts)
      // One connection is used for counting.
      const most = Math.min(mostReaders, connections - 1)
      const isLarge =
        most > 1 && room !== undefined && room.bytes >= leastSlices * sliceBytes && room.used < 0.75 * room.most
      const own = yield* begin(sql, groups)
      // This also locks all tables, so that none is dropped before the end.
      const cuts = isLarge
        ? yield* own.get(selectCuts(sql, parts, query, options.after, { pages: room.pages, bytes: sliceBytes }))
        : []
      const isSliced = cuts.length >= leastSlices
      const snapshot = isSliced || counted !== undefined ? yield* own.exported : ""
      if (counted !== undefined) yield* countIn(sql, snapshot, counted)
      const others = isSliced ? yield* Effect.forEach(Array(most - 1), () => joined(sql, snapshot)) : []
      const moments: ReadonlyArray<Moment> = [own, ...others.flat()]

      const slices: ReadonlyArray<Slice> =
        moments.length === 1
          ? groups.map(({ slice }) => slice)
          : cuts.map((_, at) => ({ from: at === 0 ? undefined : cuts[at], to: cuts[at + 1] }))
      const rowsOf = (moment: Moment) => (slice: Slice, mark: string) => {
        if (isGrouped) {
          const group = groups.find((one) => one.slice === slice)
          return moment.released(selectLines(sql, group?.parts ?? [], query, options, slice), mark)
        }
        const some = parts.filter((part) => mayHold(part, slice))
        return some.length === 0 ? Stream.empty : moment.rows(selectLines(sql, some, query, options, slice), mark)
      }
      if (moments.length > 1) yield* Effect.forEach(moments, ({ alone }) => alone, { discard: true })
      const turns = new Turns(slices)
      yield* Effect.forEach(moments, (moment) => read(turns, rowsOf(moment), taps, options), { discard: true })
      const all = Stream.flatMap(Stream.fromIterable(slices.keys()), (at) => turns.take(at))
      return counted === undefined ? all : totalled(all, ({ documents }) => documents, counted)
    })
  )

/** Another connection with the same snapshot; undefined if the server has no free connection. */
const joined = (sql: SqlClient.SqlClient, snapshot: string) =>
  momentOf(sql, snapshot).pipe(
    Effect.timeout("3 seconds"),
    Effect.map((moment) => [moment]),
    Effect.catch(() => Effect.succeed([]))
  )
