import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Gateways from "../../src/layers/postgres/Gateways.ts"
import * as Heartbeats from "../../src/layers/postgres/Heartbeats.ts"
import { TestPostgres } from "../support/postgres.ts"

/** The gateways that are left when one starts beside these, by the seconds since their heartbeat. */
const leftOf = (gateways: Readonly<Record<string, number>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const [id, seconds] of Object.entries(gateways)) {
      yield* sql`
        insert into gateways (id, host, pid, seen_at)
        values (${id}, 'elsewhere', 1, clock_timestamp() - ${`${seconds} seconds`}::interval)`
    }
    yield* Layer.build(Gateways.layer(false).pipe(Layer.provide(Heartbeats.layer(Option.none()))))
    const left = yield* sql<{ id: string }>`select id from gateways where host = 'elsewhere' order by id`
    return left.map(({ id }) => id)
  }).pipe(Effect.scoped, Effect.provide(TestPostgres))

it.live("a gateway is gone when it is silent and others are not, and nobody is after an outage", () =>
  Effect.gen(function* () {
    expect(yield* leftOf({ alive: 0, late: 6, silent: 60 })).toEqual(["alive", "late"])
    expect(yield* leftOf({ last: 60, older: 62 })).toEqual(["last", "older"])
  })
)
