import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { mostLeased } from "../../src/services/limits/Bucket.ts"
import { gatewayOn, TestGateway } from "../support/gateway.ts"
import { freshDatabase } from "../support/postgres.ts"
import { until } from "../support/process.ts"
import { fileAccess } from "./access.ts"

const { layer: access, changeFile } = fileAccess()

const urlOf = (databaseUrl: string) =>
  Effect.map(Layer.build(gatewayOn(access, { databaseUrl })), (context) => Context.get(context, TestGateway).url)

const statuses = (url: string, path: string, count: number) =>
  Effect.all(
    Array.from({ length: count }, () =>
      Effect.promise(() =>
        fetch(url + path).then(async (answer) => {
          await answer.arrayBuffer()
          return answer.status
        })
      )
    ),
    { concurrency: 8 }
  )

const count = (all: ReadonlyArray<number>, status: number) => all.filter((one) => one === status).length

it.live("two gateways on one database share one rate", () =>
  Effect.gen(function* () {
    const rate = { perSecond: 20, capacity: 100 }
    yield* changeFile({ limits: { requestsPerSecond: 20, burstSeconds: 5, requestsPerSecondOfPrincipal: null } })
    const database = Redacted.value(yield* freshDatabase)
    const urls = [yield* urlOf(database), yield* urlOf(database)]
    const began = performance.now()
    const all = yield* Effect.all(
      urls.map((url) => statuses(url, "/v1/mytenant/channels", 400)),
      { concurrency: 2 }
    )
    const seconds = (performance.now() - began) / 1000
    const passed = all.map((each) => count(each, 200))
    const total = passed.reduce((sum, one) => sum + one)
    expect(total + all.flat().filter((status) => status === 429).length).toBe(800)
    // Nothing was leased before: without an error the bucket is the limit, however slow the machine is.
    expect(total).toBeLessThanOrEqual(rate.capacity + rate.perSecond * seconds)
    expect(total).toBeGreaterThanOrEqual(Math.min(800, rate.capacity - 2 * mostLeased(rate)))
    if (total < 800) expect(count(all.flat(), 429)).toBeGreaterThan(0)
  }).pipe(Effect.scoped)
)

it.live("without its database, a gateway reads on and keeps its own share of the rate", () =>
  Effect.gen(function* () {
    yield* changeFile({ limits: { requestsPerSecond: 1, burstSeconds: 50, requestsPerSecondOfPrincipal: null } })
    const database = yield* freshDatabase
    const url = yield* urlOf(Redacted.value(database))
    const home = new URL(Redacted.value(database))
    const name = home.pathname.slice(1)
    home.pathname = "/postgres"
    const admin = yield* PgClient.makeClient({ url: Redacted.make(home.href) })
    const allow = (allowed: boolean) =>
      Effect.orDie(admin`alter database ${admin(name)} allow_connections ${admin.literal(String(allowed))}`)
    // Whoever was let in before the database was closed is put out.
    const away = Effect.acquireRelease(allow(false), () => allow(true))
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* away
        const out = admin<{ out: number }>`
          select count(pg_terminate_backend(pid))::integer as out from pg_stat_activity where datname = ${name}`
        yield* until(out, ([row]) => row?.out === 0)
        // The configuration needs no database.
        const read = yield* statuses(url, "/v1/mytenant/conf", 20)
        expect(read).toEqual(Array.from({ length: 20 }, () => 200))
        const more = yield* until(statuses(url, "/v1/mytenant/conf", 100), (all) => count(all, 429) > 0)
        expect(count(more, 200) + count(more, 429)).toBe(100)
      })
    )
    const back = statuses(url, "/v1/mytenant/channels", 1)
    yield* until(back, ([status]) => status === 200)
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
)
