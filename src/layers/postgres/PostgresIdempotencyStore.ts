import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import { inBackground } from "../../services/shared/Background.ts"
import { type Begun, IdempotencyStore } from "../../services/shared/IdempotencyStore.ts"

const lifetime = "24 hours"
/** A request that has not finished after this time died with its gateway. */
const abandoned = "2 minutes"

/** First answers in the table `idempotency`. The primary key decides which request is the first. */
export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const expire = unreachable(sql`delete from idempotency where begun_at < clock_timestamp() - ${lifetime}::interval`)
    yield* inBackground("The removal of old answers", Effect.ignore(expire), "1 hour")
    return IdempotencyStore.of({
      begin: Effect.fn("IdempotencyStore.begin")(function* (tenant, key, fingerprint) {
        const taken = yield* sql`
          insert into idempotency as known (tenant, key, fingerprint, begun_at)
          values (${tenant}, ${key}, ${fingerprint}, clock_timestamp())
          on conflict (tenant, key) do update
          set fingerprint = excluded.fingerprint, answer = null, begun_at = excluded.begun_at
          where known.begun_at < excluded.begun_at - ${lifetime}::interval
            or (known.answer is null and known.begun_at < excluded.begun_at - ${abandoned}::interval)
          returning 1`
        if (taken.length > 0) return { _tag: "New" } satisfies Begun
        const [known] = yield* sql<{ fingerprint: string; answer: string | null }>`
          select fingerprint, answer from idempotency where tenant = ${tenant} and key = ${key}`
        if (known === undefined) return { _tag: "InProgress" } satisfies Begun
        if (known.fingerprint !== fingerprint) return { _tag: "Different" } satisfies Begun
        return known.answer === null
          ? ({ _tag: "InProgress" } satisfies Begun)
          : ({ _tag: "Answered", answer: known.answer } satisfies Begun)
      }, unreachable),
      finish: (tenant, key, answer) =>
        unreachable(
          Effect.asVoid(sql`update idempotency set answer = ${answer} where tenant = ${tenant} and key = ${key}`)
        ),
      forget: (tenant, key) =>
        unreachable(
          Effect.asVoid(sql`delete from idempotency where tenant = ${tenant} and key = ${key} and answer is null`)
        )
    })
  })
)
