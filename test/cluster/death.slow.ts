import { PgClient } from "@effect/sql-pg"
import { it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { freshDatabase } from "../support/postgres.ts"
import { until } from "../support/process.ts"
import type { Running } from "../support/process-gateway.ts"
import { all, members, shardsHeld } from "./members.ts"

it.live("a gateway that is killed is missed by the others, also when it was the one that looks after the others", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const sql = yield* PgClient.makeClient({ url })
    const { start } = yield* members
    const begin = Effect.promise(() => start({ FLOW_DATABASE_URL: Redacted.value(url) }))
    const held = shardsHeld(sql)
    const kill = Effect.fnUntraced(function* (gateway: Running) {
      yield* Effect.promise(() => gateway.kill("SIGKILL"))
      // Its silence would hide that nobody misses it.
      const beaten = sql`update gateways set seen_at = clock_timestamp()`
      yield* until(Effect.andThen(beaten, held), all(1))
    })
    const one = yield* begin
    const two = yield* begin
    yield* until(held, all(2))
    yield* kill(one)
    yield* begin
    yield* until(held, all(2))
    yield* kill(two)
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
)
