import { hostname } from "node:os"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction, unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { Conflict } from "../../../errors/Conflict.ts"
import { storageDeadline } from "../../../protocol/Liveness.ts"
import { Gateway } from "../../../services/runs/Gateway.ts"
import {
  IdempotencyStore,
  type KeyClaim,
  type KeyState
} from "../../../services/shared/idempotency/IdempotencyStore.ts"
import { inBackground } from "../../../services/shared/process/Background.ts"
import { isRunning } from "../gateways/Gateways.ts"
import { reached } from "../statements/StoredRows.ts"

const lifetime = "24 hours"

/** A key begun longer ago is one that the list of running requests, made before this statement, would have named. */
const settled = `${2 * storageDeadline} milliseconds`

/** Bytes of an answer in one row: the driver accepts no row over 16 MiB, but answers may embed more. */
const slice = 2 ** 20

interface Known {
  readonly fingerprint: string
  readonly answered: boolean
  readonly holder: string | null
  readonly host: string | null
  readonly pid: number | null
}

/**
 * Marks the keys that this gateway holds but whose requests no longer run: their end could not be written. Other
 * gateways may take them then; this one may at any time.
 */
export const giveBack = (sql: SqlClient.SqlClient, gateway: string, running: ReadonlySet<string>) =>
  unreachable(sql`
    update idempotency set holder = null
    where (tenant, key) in (
      select tenant, key from idempotency
      where holder = ${gateway} and answer is null and claim <> all(${[...running]}::text[])
        and begun_at < clock_timestamp() - ${settled}::interval
      for update skip locked
    )`)

/**
 * First answers in the table `idempotency`. The primary key decides which request is the first. The answer is written
 * in the transaction of the work, and only while the row still has the claim's token. So a repeat that replaces the
 * token either waits for a commit under way and finds its answer, or has made that commit impossible.
 */
export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* Gateway
    /** The tokens of the requests that run here. */
    const running = new Set<string>()
    const expire = unreachable(sql`delete from idempotency where begun_at < clock_timestamp() - ${lifetime}::interval`)
    yield* inBackground("The removal of old answers", Effect.ignore(expire), "1 hour")
    const untended = Effect.suspend(() => giveBack(sql, id, running))
    yield* inBackground("The release of idempotency keys", Effect.ignore(untended), "5 seconds")

    const own = ({ tenant, key, token }: KeyClaim) =>
      sql`tenant = ${tenant} and key = ${key} and claim = ${token} and answer is null`

    /** Takes a key that is new, or whose request no longer runs; `gone` is a holder that is known to be dead. */
    const take = (claim: KeyClaim, fingerprint: string, gone: string) =>
      reached(
        sql`
          insert into idempotency as known (tenant, key, fingerprint, begun_at, holder, claim)
          values (${claim.tenant}, ${claim.key}, ${fingerprint}, clock_timestamp(), ${id}, ${claim.token})
          on conflict (tenant, key) do update
          set fingerprint = excluded.fingerprint, answer = null, begun_at = excluded.begun_at,
            holder = excluded.holder, claim = excluded.claim
          where known.begun_at < excluded.begun_at - ${lifetime}::interval
            or (known.answer is null and known.fingerprint = excluded.fingerprint and (
              known.holder is null or known.holder = ${gone}
              or (known.holder = ${id} and known.claim <> all(${[...running]}::text[]))
              or not exists (select 1 from gateways where gateways.id = known.holder)
            ))
          returning 1`
      )

    const read = ({ tenant, key }: KeyClaim) =>
      Effect.map(
        sql<{ part: Uint8Array }>`
          with known as materialized (
            select convert_to(answer, 'UTF8') as bytes from idempotency where tenant = ${tenant} and key = ${key}
          )
          select substring(bytes from place for ${slice}) as part
          from known, generate_series(1, octet_length(bytes), ${slice}) as place order by place`,
        (rows) => {
          const decoder = new TextDecoder()
          return rows.map(({ part }) => decoder.decode(part, { stream: true })).join("") + decoder.decode()
        }
      )

    const claimOrRead = Effect.fnUntraced(function* (claim: KeyClaim, fingerprint: string) {
      const taken: KeyState = { _tag: "New", claim }
      if (yield* take(claim, fingerprint, "")) return taken
      const [known] = yield* sql<Known>`
        select fingerprint, answer is not null as answered, holder, host, pid
        from idempotency left join gateways on gateways.id = holder
        where tenant = ${claim.tenant} and key = ${claim.key}`
      if (known === undefined) return { _tag: "InProgress" } satisfies KeyState
      const { holder, host, pid } = known
      if (known.fingerprint !== fingerprint) return { _tag: "Different" } satisfies KeyState
      if (known.answered) return { _tag: "Answered", answer: yield* read(claim) } satisfies KeyState
      // The table of gateways shows the death of a process a moment later than its host does. The holder may also have
      // left the table since the statement before, or have given the key back.
      const isDead = pid === null || (holder !== id && host === hostname() && !isRunning(pid))
      if (isDead && (yield* take(claim, fingerprint, holder ?? ""))) return taken
      return { _tag: "InProgress" } satisfies KeyState
    })

    return IdempotencyStore.of({
      begin: Effect.fn("IdempotencyStore.begin")(function* (tenant, key, fingerprint) {
        const claim = { tenant, key, token: crypto.randomUUID() }
        running.add(claim.token)
        const drop = Effect.sync(() => running.delete(claim.token))
        const begun = yield* Effect.onError(unreachable(claimOrRead(claim, fingerprint)), () => drop)
        if (begun._tag !== "New") yield* drop
        return begun
      }),
      commit: (claim, writes, answerOf) =>
        transaction(
          sql,
          Effect.tap(writes, (made) =>
            Effect.flatMap(
              reached(sql`update idempotency set answer = ${answerOf(made)} where ${own(claim)} returning 1`),
              (isOwn) =>
                isOwn
                  ? Effect.void
                  : new Conflict({ state: "IN_PROGRESS", detail: "A repeat of this request has taken its key over" })
            )
          )
        ),
      end: (claim, outcome) =>
        Effect.suspend(() => {
          running.delete(claim.token)
          switch (outcome) {
            case "Answered":
              return Effect.void
            case "Refused":
              return unreachable(Effect.asVoid(sql`delete from idempotency where ${own(claim)}`))
            case "Unknown":
              return unreachable(Effect.asVoid(sql`update idempotency set holder = null where ${own(claim)}`))
          }
        })
    })
  })
)
