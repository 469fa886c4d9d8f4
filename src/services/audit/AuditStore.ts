import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { Head } from "./Chain.ts"
import type { AuditEntry, Outcome } from "./Entry.ts"

/** A row before it is in its chain. */
export type NewEntry = Omit<AuditEntry, "seq" | "time" | "tenant" | "previous" | "hash">

/** The tenant of a chain; undefined for what belongs to none. */
export type Chain = TenantId | undefined

/** Which rows of a chain are wanted, and in which order. Times are epoch milliseconds: from `from`, before `to`. */
export interface AuditFilter {
  readonly from?: number
  readonly to?: number
  readonly principal?: string
  readonly action?: string
  readonly target?: string
  readonly outcome?: Outcome
  /** The oldest first by default. */
  readonly order?: "oldest" | "newest"
}

/** The storage of the audit. Rows are only appended, and removed by age. */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /**
     * Does the writes and appends the row that `entryOf` makes of their result, if any: both or neither. Within another
     * transaction it is part of that. The row gets its place in the chain as the transaction commits.
     */
    readonly change: <A, E, R>(
      chain: Chain,
      writes: Effect.Effect<A, E, R>,
      entryOf: (made: A) => NewEntry | undefined
    ) => Effect.Effect<A, E | StorageUnreachable, R>
    /** Appends the rows in their order, all or none; a few hundred at most. */
    readonly append: (chain: Chain, entries: ReadonlyArray<NewEntry>) => Effect.Effect<void, StorageUnreachable>
    /** The rows of a chain in their order, as JSON; their keys are their numbers. */
    readonly list: (chain: Chain, filter: AuditFilter, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** The last row of each chain. */
    readonly heads: Effect.Effect<ReadonlyArray<Head & { readonly chain: Chain }>, StorageUnreachable>
    /**
     * Removes the oldest rows of a chain, those that are older than `age` milliseconds: a few thousand, whose number is
     * returned. `entryOf` makes the row that stays in their place, of the last one of them.
     */
    readonly expire: (
      chain: Chain,
      age: number,
      entryOf: (last: Head, count: number) => NewEntry
    ) => Effect.Effect<number, StorageUnreachable>
  }
>()("flow/audit/AuditStore") {}
