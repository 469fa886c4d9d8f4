import { Context, type Effect, type Stream } from "effect"
import type { Conflict } from "../../errors/Conflict.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { Backfill, Firing, FiringKind, ScheduleName, TriggerKind } from "./Schedule.ts"
import type { Due } from "./Times.ts"

export interface ScheduleKey {
  readonly tenant: TenantId
  readonly name: ScheduleName
}

/** What is stored of a schedule. Times are epoch milliseconds. */
export interface StoredRow extends ScheduleKey {
  /** JSON of `ScheduleRequest`. */
  readonly definition: string
  readonly kind: TriggerKind
  readonly paused: boolean
  /** Another one after each change, so that what was computed before a change is not written after it. */
  readonly revision: string
  readonly anchor: number
  readonly nextAt: number | null
  readonly fault: string | null
  /** Whether its flowline is saved. */
  readonly hasFlowline: boolean
  /** Whether there is still what it comes after; true for other triggers. */
  readonly hasFirst: boolean
  readonly createdAt: string
  readonly changedAt: string
}

interface NewSchedule extends ScheduleKey {
  readonly definition: string
  readonly kind: TriggerKind
  readonly overlap: string
  readonly flowlineId: string
  readonly afterFlowline: string | undefined
  readonly afterSchedule: string | undefined
  readonly afterOn: string | undefined
  /** SHA-256 of the token of a webhook, for a schedule that has none yet. */
  readonly tokenSha256: Uint8Array | undefined
  readonly anchor: number
  readonly nextAt: number | undefined
  /** Files that are there already: they are not new. Undefined leaves those that are known as they are. */
  readonly files: ReadonlyArray<FoundFile> | undefined
}

/** What schedules of a tenant come after, to find circles. */
export interface ScheduleLink {
  readonly name: string
  readonly flowlineId: string
  readonly afterFlowline: string | null
  readonly afterSchedule: string | null
}

/** What became of a schedule that was sent. `hasToken`: the token in `NewSchedule` is the one that holds. */
export type Put =
  | {
      readonly _tag: "Stored"
      readonly isNew: boolean
      readonly hasToken: boolean
      readonly row: StoredRow
    }
  | { readonly _tag: "Full" }
  /** Another revision than the expected one is stored. */
  | { readonly _tag: "Changed" }
  | { readonly _tag: "Circle"; readonly names: ReadonlyArray<string> }

/** A file of a folder. `version` changes whenever its content may have changed. */
export interface FoundFile {
  /** One with a backslash is how a path is shown that no run can read. */
  readonly path: string
  readonly version: string
}

/** A firing to be stored. `key` is unique among those of the schedule. */
export interface NewFiring {
  readonly key: string
  readonly kind: FiringKind
  /** Epoch milliseconds; now if absent. */
  readonly scheduledAt?: number
  readonly file?: string
  /** JSON of an object. */
  readonly parameters?: string
  /** JSON of `TriggerBody`. */
  readonly body?: string
}

/** A firing that may start. */
export interface WaitingFiring extends ScheduleKey {
  readonly key: string
  readonly id: string
  readonly kind: FiringKind
  readonly definition: string
  readonly scheduledAt: number
  readonly dueAt: number
  readonly backfill: string | null
  readonly file: string | null
  readonly parameters: string | null
  readonly body: string | null
}

export interface NewBackfill {
  readonly from: number
  readonly to: number
  readonly parallel: number
  readonly times: ReadonlyArray<number>
}

/** The execution of a firing, as its row names it. */
export interface FiringExecution {
  readonly id: string
  readonly flowlineId: string
  readonly version: number
}

/** Why a firing cannot start, the `state` of a `Conflict`: it does no longer wait, or another one is open. */
export const notWaiting = "NOT_WAITING"
export const overlapping = "OVERLAPPING"

/** Maximum number of firings of a tenant that one look starts, before those of others have their turn. */
export const startedAtOnce = 50

/** Schedules, their firings and backfills. Each method is one transaction. */
export class ScheduleStore extends Context.Service<
  ScheduleStore,
  {
    /**
     * Stores or replaces a schedule. `circle` returns the names of a circle that it would close. The revision `expected`
     * must be stored; null means that no schedule may be stored.
     */
    readonly put: (
      schedule: NewSchedule,
      most: number,
      circle: (others: ReadonlyArray<ScheduleLink>) => ReadonlyArray<string> | undefined,
      expected: string | null
    ) => Effect.Effect<Put, StorageUnreachable>
    readonly get: (key: ScheduleKey) => Effect.Effect<StoredRow | undefined, StorageUnreachable>
    /** The schedules of a tenant, by name. */
    readonly list: (tenant: TenantId) => Effect.Effect<ReadonlyArray<StoredRow>, StorageUnreachable>
    /**
     * Deletes a schedule, or only this revision of it, with its firings. Started executions continue. Answers its
     * definition; undefined if there was none.
     */
    readonly remove: (key: ScheduleKey, revision?: string) => Effect.Effect<string | undefined, StorageUnreachable>
    /** Pauses or resumes a schedule as it was read; undefined if it was changed since, or is so already. */
    readonly pause: (
      read: StoredRow,
      paused: boolean,
      nextAt: number | undefined
    ) => Effect.Effect<StoredRow | undefined, StorageUnreachable>
    readonly token: (key: ScheduleKey) => Effect.Effect<Uint8Array | undefined, StorageUnreachable>
    readonly setToken: (key: ScheduleKey, sha256: Uint8Array) => Effect.Effect<boolean, StorageUnreachable>
    readonly setFault: (key: ScheduleKey, fault: string | undefined) => Effect.Effect<void, StorageUnreachable>

    /** Stores a firing that waits, unless its key is known. Answers the firing of the key and whether it is new. */
    readonly add: (
      key: ScheduleKey,
      firing: NewFiring
    ) => Effect.Effect<{ readonly firing: Firing; readonly isNew: boolean } | undefined, StorageUnreachable>
    readonly firing: (key: ScheduleKey, firingKey: string) => Effect.Effect<Firing | undefined, StorageUnreachable>
    /** The firings as JSON, newest first; their keys are their ids. */
    readonly firings: (key: ScheduleKey, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /**
     * Does the writes that start an execution, and notes it in the firing: both or neither. Fails with a `Conflict`
     * when the firing no longer waits, or another firing of the schedule (or of its backfill) is in its way.
     */
    readonly begin: <A, E, R>(
      firing: WaitingFiring,
      room: { readonly overlap: boolean },
      writes: Effect.Effect<A, E, R>,
      startedOf: (made: A) => FiringExecution
    ) => Effect.Effect<A, E | Conflict | StorageUnreachable, R>
    /** Ends a firing that waits without an execution. */
    readonly settle: (
      firing: WaitingFiring,
      state: "SKIPPED" | "REFUSED",
      reason: string
    ) => Effect.Effect<boolean, StorageUnreachable>
    /** Notes why a firing goes on waiting. */
    readonly waits: (firing: WaitingFiring, reason: string) => Effect.Effect<void, StorageUnreachable>
    /** Firings that may start now, oldest first: at most `startedAtOnce` of a tenant, none of suspended ones. */
    readonly startable: (
      suspended: ReadonlyArray<TenantId>,
      only?: { readonly key: ScheduleKey; readonly firing: string }
    ) => Effect.Effect<ReadonlyArray<WaitingFiring>, StorageUnreachable>

    /** Schedules whose time has come, none of suspended tenants. */
    readonly due: (
      now: number,
      suspended: ReadonlyArray<TenantId>
    ) => Effect.Effect<ReadonlyArray<StoredRow>, StorageUnreachable>
    /** Schedules with times that are not paused. */
    readonly timed: Effect.Effect<ReadonlyArray<StoredRow>, StorageUnreachable>
    /** Stores the firings of times and the next time, unless the schedule was changed. Answers how many are new. */
    readonly fire: (
      schedule: StoredRow,
      due: Due,
      kind: FiringKind,
      delayOf: (at: number) => number
    ) => Effect.Effect<number, StorageUnreachable>

    /** Schedules that wait for files, none of suspended tenants. */
    readonly watching: (
      suspended: ReadonlyArray<TenantId>
    ) => Effect.Effect<ReadonlyArray<StoredRow>, StorageUnreachable>
    /** Notes which files there are, and stores a firing for each that has rested for so many milliseconds. */
    readonly found: (
      schedule: StoredRow,
      files: ReadonlyArray<FoundFile>,
      rests: number
    ) => Effect.Effect<{ readonly fired: number; readonly resting: number }, StorageUnreachable>

    readonly backfill: (key: ScheduleKey, given: NewBackfill) => Effect.Effect<Backfill | undefined, StorageUnreachable>
    readonly backfills: (key: ScheduleKey) => Effect.Effect<ReadonlyArray<Backfill>, StorageUnreachable>
    /** Ends the firings of a backfill that wait. Answers the executions that are open; undefined if there is none. */
    readonly cancelBackfill: (
      key: ScheduleKey,
      id: string
    ) => Effect.Effect<
      ReadonlyArray<{ readonly flowlineId: string; readonly id: string }> | undefined,
      StorageUnreachable
    >

    /** Deletes old firings that are over: some, whose number is returned. */
    readonly expire: (
      tenant: TenantId,
      rule: { readonly age?: number; readonly number?: number }
    ) => Effect.Effect<number, StorageUnreachable>
  }
>()("flow/schedules/ScheduleStore") {}
