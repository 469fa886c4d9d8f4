import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { type Lease, RateStore } from "../../../services/limits/RateStore.ts"

/** Buckets in the table `request_rates`, filled by the clock of the database. */
export const layer = Layer.effect(
  RateStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return RateStore.of({
      // The row is locked before the clock is read, so that the times of one bucket ascend. A clock that is set back adds
      // nothing, and counts from there.
      lease: Effect.fn("RateStore.lease")(function* ({ tenant, principal }, { perSecond, capacity }, tokens) {
        const [row] = yield* sql<Lease>`
          insert into request_rates as known (tenant, principal, tokens, granted, at)
          select ${tenant}, ${principal}, ${capacity}::float8 - grantable, grantable, clock_timestamp()
          from (select floor(least(${tokens}::float8, ${capacity}::float8)) as grantable) as fresh
          on conflict (tenant, principal) do update set (tokens, granted, at) = (
            select available - grantable, grantable, now
            from (select clock_timestamp() as now) as clock
            cross join lateral (select least(${capacity}::float8, known.tokens
              + greatest(0, extract(epoch from now - known.at))::float8 * ${perSecond}::float8) as available) as bucket
            cross join lateral (select floor(least(${tokens}::float8, available)) as grantable) as share
          )
          returning granted, tokens as left,
            (select greatest(1, count(*)) from gateways)::float8 as gateways`
        return row ?? { granted: 0, left: 0, gateways: 1 }
      }, unreachable),
      sweep: unreachable(Effect.asVoid(sql`delete from request_rates where at < clock_timestamp() - interval '1 day'`))
    })
  })
)
