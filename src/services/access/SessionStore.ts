import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"

export interface NewSession {
  /** SHA-256 of its token, in hex. */
  readonly id: string
  readonly principal: string
  /** What it began with, as JSON. */
  readonly proof: string
  /** Milliseconds until it ends in any case. */
  readonly left: number
}

/** A session as it is now. Times are milliseconds by the clock of the database. */
export interface StoredSession extends NewSession {
  readonly age: number
  /** Since its last use, within a minute. */
  readonly idle: number
}

/** What bounds the sessions that are stored. */
export interface SessionBounds {
  /** Sessions of one principal, and of all. */
  readonly each: number
  readonly all: number
  /** Milliseconds without use after which a session is over. */
  readonly idle: number
}

/** The sessions of browsers. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Stores a session. Those that are over go, and of too many those that were not used for longest. */
    readonly add: (session: NewSession, bounds: SessionBounds) => Effect.Effect<void, StorageUnreachable>
    readonly find: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StoredSession>, StorageUnreachable>
    /** Notes that the session is used now. */
    readonly used: (id: string) => Effect.Effect<void, StorageUnreachable>
    /** False when there is none. */
    readonly remove: (id: string) => Effect.Effect<boolean, StorageUnreachable>
  }
>()("flow/access/SessionStore") {}
