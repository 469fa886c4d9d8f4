import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { Runner } from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ShardStorage from "../../src/layers/cluster/ShardStorage.ts"
import { Departures, makeDepartures } from "../../src/layers/postgres/gateways/Departures.ts"
import * as Gateways from "../../src/layers/postgres/gateways/Gateways.ts"
import * as Heartbeats from "../../src/layers/postgres/gateways/Heartbeats.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { TestPostgres } from "../support/postgres.ts"
import { until } from "../support/process.ts"

const own = RunnerAddress.make("here", 1)
const other = RunnerAddress.make("there", 2)
const departures = makeDepartures({ removeSilent: Effect.void, mostRuns: () => 0 })

const Storage = ShardStorage.layer.pipe(
  Layer.provide([
    Layer.succeed(Gateway, { id: "here", name: "here:1", address: "here:1" }),
    Layer.succeed(Departures, departures)
  ]),
  Layer.provideMerge(TestPostgres)
)

/** With a gateway that removes others. */
const RealStorage = ShardStorage.layer.pipe(
  Layer.provideMerge(Gateways.layer(false, "here:1")),
  Layer.provide(Heartbeats.layer(undefined)),
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
        // Nothing has changed: with a stopped clock, only a departure ends the wait.
        const waiting = yield* Effect.forkChild(Effect.provide(living, TestClock.layer()))
        yield* departures.add
        expect(yield* Fiber.join(waiting)).toEqual(["here"])
        yield* Fiber.interrupt(beating)
      })
    )
  })
})

describe("a gateway on another host that has been silent for too long", () => {
  it.live("is removed by who finds it, so that its shards are free, and its runs were expected", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const departures = yield* Departures
      const storage = yield* RunnerStorage
      yield* storage.register(Runner.make({ address: own, groups: ["default"], weight: 1 }), true)
      const shards = [ShardId.make("default", 1), ShardId.make("default", 2)]
      yield* enter(sql, other, "0 seconds")
      yield* sql`insert into cluster_shards (shard, gateway) select unnest(${shards.map(String)}::text[]), 'there'`
      yield* sql`
        insert into channel_jobs (tenant, channel, cluster, job, desired, generation, status, node, job_id)
        select 'mytenant', 'ticks', 'all', job, true, 1, 'ACTIVE', 'there:2', 'there:' || job from unnest(array['1', '2']) as job`
      yield* until(Effect.sync(departures.mostRuns), (runs) => runs === 2)
      expect(yield* storage.acquire(own, shards)).toEqual([])
      yield* sql`delete from gateways where id = 'there'`
      // The first look at the members finds it, before the check that each gateway makes every second.
      for (let round = 0; round < 3; round++) {
        yield* sql`
          insert into gateways (id, host, pid, address, seen_at, runner)
          select 'there', 'there', 2, 'there:2', clock_timestamp() - interval '8 seconds', replace(runner, '"here"', '"there"')
          from gateways where runner is not null`
        yield* sql`insert into cluster_shards (shard, gateway) select unnest(${shards.map(String)}::text[]), 'there'`
        yield* departures.add
        expect(yield* storage.getRunners).toHaveLength(1)
        expect(yield* storage.acquire(own, shards)).toEqual(shards)
        for (const shard of shards) yield* storage.release(own, shard)
      }
    }).pipe(Effect.provide(RealStorage))
  )
})
