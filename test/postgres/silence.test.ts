import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { enter, isSilent } from "../../src/layers/postgres/gateways/HeartbeatSql.ts"
import { takeover } from "../../src/protocol/Liveness.ts"
import { settableClock } from "./settableClock.ts"

const hour = 3_600_000
const start = 1_700_000_000_000

it.effect("a database's clock that is turned back makes no gateway silent that lives, and each that does not", () =>
  Effect.gen(function* () {
    const { sql, set } = yield* settableClock
    const beat = (id: string) => enter(sql, { id, host: id, pid: 1, address: `${id}:1` })
    const silent = Effect.map(
      sql<{ id: string }>`select id from gateways where ${isSilent(sql, sql`seen_at`, takeover)} order by id`,
      (rows) => rows.map(({ id }) => id)
    )
    // With the second pause an outage ends just before, and its end counts as a heartbeat of all.
    for (const pause of [2000, 5000]) {
      yield* sql`delete from gateways`
      yield* set(start)
      yield* beat("gone")
      yield* beat("one")
      yield* set(start + pause)
      yield* beat("one")
      yield* beat("other")
      yield* set(start - hour)
      yield* beat("one")
      expect([pause, yield* silent]).toEqual([pause, []])
      yield* beat("other")
      for (let seconds = 1; seconds <= takeover / 1000 + 1; seconds++) {
        expect([pause, seconds, yield* silent]).toEqual([pause, seconds, []])
        yield* set(start - hour + seconds * 1000)
        yield* beat("one")
        yield* beat("other")
      }
      expect([pause, yield* silent]).toEqual([pause, ["gone"]])
    }
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
)
