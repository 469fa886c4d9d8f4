import { Context, Effect, Layer, Option, type Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import { CurrentRequestId } from "../shared/requests/RequestId.ts"
import { CurrentPrincipal, gatewayItself } from "../shared/security/Principal.ts"
import { type AuditFilter, AuditStore, type Chain, type NewEntry } from "./AuditStore.ts"
import type { Outcome } from "./Entry.ts"

/** Longest target that a row keeps, in characters. */
const longest = 2048

/** What is changed. Digests are SHA-256 in hex; absent where the thing has no content. Nothing in it may be secret. */
interface Change {
  readonly tenant: Chain
  /** Group and name of the endpoint, such as `flowlines.save`, or of the gateway's own work, such as `blobs.sweep`. */
  readonly action: string
  readonly target: string
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** How many things were removed; 1 if absent. */
  readonly count?: number
}

/** The digest of a change that has one content; undefined for none and for several. */
export const onlyDigest = (sha256s: ReadonlyArray<string>): string | undefined =>
  sha256s.length === 1 ? sha256s[0] : undefined

/** Who sends the current request. */
const sender = Effect.contextWith((context: Context.Context<never>) => {
  const { id: principal, method } = Context.get(context, CurrentPrincipal)
  const request = Context.getOption(context, HttpServerRequest.HttpServerRequest)
  const remote = Option.flatMap(request, ({ remoteAddress }) => remoteAddress)
  return Effect.succeed({
    principal,
    method,
    requestId: Context.get(context, CurrentRequestId),
    remote: Option.getOrNull(remote)
  })
})

type Sender = Effect.Success<typeof sender>

/** The row of a change. */
const entryOf = (who: Sender, outcome: Outcome, change: Omit<Change, "tenant">): NewEntry => ({
  ...who,
  action: change.action,
  target: change.target.slice(0, longest),
  outcome,
  status: null,
  before: change.before ?? null,
  after: change.after ?? null,
  count: change.count ?? 1
})

/** The row of the gateway's own work. */
export const ownEntry = (change: Omit<Change, "tenant">): NewEntry =>
  entryOf({ principal: gatewayItself.id, method: gatewayItself.method, requestId: "", remote: null }, "done", change)

/** Writes down who changes what. A change that cannot be written down is not made. */
export class Audit extends Context.Service<
  Audit,
  {
    /**
     * Does the writes of a change together with its row, in one transaction. `changeOf` says what the writes have made;
     * undefined when they have changed nothing. Call it inside a `Commit`.
     */
    readonly change: <A, E, R>(
      tenant: Chain,
      writes: Effect.Effect<A, E, R>,
      changeOf: (made: A) => Omit<Change, "tenant"> | undefined
    ) => Effect.Effect<A, E | StorageUnreachable, R>
    /** The row of a change for a store that writes both with one statement, in place of `change`. */
    readonly entry: (change: Omit<Change, "tenant">) => Effect.Effect<NewEntry>
    /** Writes the row of a change that no transaction covers, before it is made. */
    readonly begin: (change: Change) => Effect.Effect<void, StorageUnreachable>
    readonly list: (chain: Chain, filter: AuditFilter, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
  }
>()("flow/audit/Audit") {
  static readonly layer = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const store = yield* AuditStore
      return Audit.of({
        change: (tenant, writes, changeOf) =>
          Effect.flatMap(sender, (who) =>
            store.change(tenant, writes, (made) => {
              const change = changeOf(made)
              return change === undefined ? undefined : entryOf(who, "done", change)
            })
          ),
        entry: (change) => Effect.map(sender, (who) => entryOf(who, "done", change)),
        begin: Effect.fn("Audit.begin")(function* (change) {
          yield* store.append(change.tenant, [entryOf(yield* sender, "begun", change)])
        }),
        list: store.list
      })
    })
  )
}
