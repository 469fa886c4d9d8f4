import { Effect, Schedule, Stream } from "effect"
import { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import type { Key } from "../../../languages/query/IndexedDocument.ts"
import { monotonicNow } from "../../../protocol/MonotonicTime.ts"
import { outagePauses } from "../../../protocol/OutagePauses.ts"
import type { Index } from "../indices/Catalog.ts"

/**
 * Maximum number of times that the database is lost before the next document has been found. After that, the read
 * itself may be what brings the server down.
 */
const mostBreaks = 20

/** Where an attempt at a read begins. */
export interface Start {
  /** The last document that was passed on, or the key after which the whole read begins. */
  readonly after: Key | undefined
  /** Number of documents that were passed on. */
  readonly passed: number
  /** The indices that are read; undefined until a document has been passed on. */
  readonly indices: ReadonlyArray<Index> | undefined
}

/** How a read finds its way back to the last document that it passed on. */
export interface Resumption<Row> {
  readonly after: Key | undefined
  readonly keyOf: (row: Row) => Key
  /** Number of documents in a row. */
  readonly documents: (row: Row) => number
  /** How long the database may be away, in milliseconds. */
  readonly limit: number
}

/**
 * Reads on after the last document that was passed on when the database is lost, with pauses. Each attempt is in a new
 * snapshot and calls `opened` when the database has responded.
 */
export const resumed = <Row, E>(
  { after, keyOf, documents, limit }: Resumption<Row>,
  open: (start: Start, opened: (indices: ReadonlyArray<Index>) => void) => Stream.Stream<Row, E | StorageUnreachable>
): Stream.Stream<Row, E | StorageUnreachable> =>
  Stream.suspend(() => {
    let start: Start = { after, passed: 0, indices: undefined }
    let indices: ReadonlyArray<Index> | undefined
    let awaySince: number | undefined
    let breaks = 0
    const opened = (found: ReadonlyArray<Index>) => {
      indices = found
      awaySince = undefined
    }
    const mayRetry = Effect.map(monotonicNow, (now) => {
      if (awaySince === undefined) breaks++
      awaySince ??= now
      return breaks <= mostBreaks && now - awaySince < limit
    })
    const retries = Schedule.while(outagePauses, ({ input }: { readonly input: unknown }) =>
      input instanceof StorageUnreachable ? mayRetry : Effect.succeed(false)
    )
    return Stream.suspend(() => open(start, opened)).pipe(
      Stream.mapArray((rows) => {
        const passed = rows.reduce((sum, row) => sum + documents(row), start.passed)
        start = { after: keyOf(rows.at(-1)!), passed, indices }
        breaks = 0
        return rows
      }),
      Stream.retry(retries)
    )
  })
