import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, References } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { startEmbedded } from "../../src/layers/postgres/embedded/Embedded.ts"
import { temporaryCluster } from "../support/postgresServer.ts"
import { until } from "../support/process.ts"
import { childrenOf, signal } from "../support/process-gateway.ts"
import { all, shardsHeld } from "./members.ts"

/** A PostgreSQL that only this test uses, with functions that stop, continue and disconnect it. */
export const database = Effect.gen(function* () {
  const folder = yield* temporaryCluster
  const { url, pid } = yield* startEmbedded({ folder, settings: { fsync: "off", max_connections: "200" } })
  const admin = yield* PgClient.makeClient({ url })
  return {
    url: Redacted.value(url),
    /** Waits until so many gateways have shards: a joining gateway takes over runs. */
    shared: (gateways: number) => Effect.runPromise(until(shardsHeld(admin), all(gateways))),
    /** Freezes the server for as long as the work takes. */
    frozen: async (work: () => Promise<void>) => {
      const server = pid() ?? 0
      const pids = [server, ...childrenOf(server)]
      signal(pids, "SIGSTOP")
      await work().finally(() => signal(pids, "SIGCONT"))
    },
    cut: () =>
      Effect.runPromise(
        admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'flow-gateway'`
      )
  }
}).pipe(Effect.provide(Reactivity.layer), Effect.provideService(References.MinimumLogLevel, "Error"))
