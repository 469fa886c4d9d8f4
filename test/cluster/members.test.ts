import { describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { Runner } from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import { SqlClient } from "effect/sql"
import * as Members from "../../src/layers/cluster/Members.ts"
import { Departures, makeDepartures } from "../../src/layers/postgres/Departures.ts"
import { Heartbeats } from "../../src/layers/postgres/Heartbeats.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { TestPostgres } from "../support/postgres.ts"
import { until } from "../support/process.ts"

const own = RunnerAddress.make("here", 1)
const other = RunnerAddress.make("there", 2)
const departures = makeDepartures()

const Storage = Members.layer.pipe(
  Layer.provide(SqlRunnerStorage.layerWith({ prefix: "flow_cluster" })),
  Layer.provide([
    ShardingConfig.layer({ runnerAddress: Option.some(own) }),
    Layer.succeed(Gateway, { id: "a", name: "here:1", address: "here:1" }),
    Layer.succeed(Departures, departures),
    Layer.succeed(Heartbeats, {
      signs: 0,
      begin: () => Effect.void,
      isBeating: () => true,
      unbrokenSince: () => true
    })
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
        for (const address of [own, other]) {
          yield* storage.register(Runner.make({ address, groups: ["default"], weight: 1 }), true)
        }
        yield* enter(sql, own, "0 seconds")
        yield* enter(sql, other, "6 seconds")
        const living = Effect.map(storage.getRunners, (runners) =>
          runners.filter(([, healthy]) => healthy).map(([{ address }]) => address.host)
        )
        expect((yield* living).toSorted()).toEqual(["here", "there"])
        // Its shards would not expire for seconds.
        yield* until(living, (hosts) => !hosts.includes("there"))
        yield* enter(sql, other, "-1 days")
        yield* until(living, (hosts) => hosts.includes("there"))
        // This process has been cut off as well, and is there nevertheless.
        yield* enter(sql, own, "1 days")
        yield* sql`delete from gateways where id = 'there'`
        yield* departures.add
        expect(yield* living).toEqual(["here"])
        // Nothing is new.
        const waiting = yield* Effect.forkChild(living)
        yield* departures.add
        expect(yield* Fiber.join(waiting)).toEqual(["here"])
      })
    )
  })
})
