import { describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { Runner } from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"
import * as ShardStorage from "../../src/layers/cluster/ShardStorage.ts"
import { Departures, makeDepartures } from "../../src/layers/postgres/Departures.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { TestPostgres } from "../support/postgres.ts"
import { until } from "../support/process.ts"

const own = RunnerAddress.make("here", 1)
const other = RunnerAddress.make("there", 2)
const departures = makeDepartures()

const Storage = ShardStorage.layer.pipe(
  Layer.provide([
    Layer.succeed(Gateway, { id: "here", name: "here:1", address: "here:1" }),
    Layer.succeed(Departures, departures)
  ]),
  Layer.provideMerge(TestPostgres)
)

const enter = (sql: SqlClient.SqlClient, { host, port }: RunnerAddress.RunnerAddress, silence: string) => sql`
  insert into gateways (id, host, pid, address, seen_at)
  values (${host}, ${host}, ${port}, ${`${host}:${port}`}, clock_timestamp() - ${silence}::interval)
  on conflict (id) do update set seen_at = excluded.seen_at`

describe("the members of a cluster", () => {
  layer(Storage, { excludeTestServices: true })((it) => {
    it.effect("are alive as their gateways are, whoever watches, and who departs is missed at once", () =>
      Effect.gen(function* () {
        const storage = yield* RunnerStorage
        const sql = yield* SqlClient.SqlClient
        yield* enter(sql, own, "0 seconds")
        yield* enter(sql, other, "6 seconds")
        yield* storage.register(Runner.make({ address: own, groups: ["default"], weight: 1 }), true)
        yield* sql`update gateways set runner = replace(
          (select runner from gateways where id = 'here'), '"here"', '"there"') where id = 'there'`
        const beating = yield* Effect.forkChild(
          enter(sql, own, "0 seconds").pipe(Effect.repeat(Schedule.spaced("100 millis")))
        )
        const living = Effect.map(storage.getRunners, (runners) =>
          runners.filter(([, healthy]) => healthy).map(([{ address }]) => address.host)
        )
        expect((yield* living).toSorted()).toEqual(["here", "there"])
        // Its shards are its own until its row is deleted.
        yield* until(living, (hosts) => !hosts.includes("there"))
        yield* enter(sql, other, "0 seconds")
        yield* until(living, (hosts) => hosts.includes("there"))
        yield* sql`delete from gateways where id = 'there'`
        yield* departures.add
        expect(yield* living).toEqual(["here"])
        // Nothing is new.
        const waiting = yield* Effect.forkChild(living)
        yield* departures.add
        expect(yield* Fiber.join(waiting)).toEqual(["here"])
        yield* Fiber.interrupt(beating)
      })
    )
  })
})
