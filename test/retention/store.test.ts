import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { WideSql } from "../../src/layers/postgres/Postgres.ts"
import * as ArtifactStore from "../../src/layers/postgres/stores/PostgresArtifactStore.ts"
import * as PostgresExecutions from "../../src/layers/postgres/stores/PostgresExecutionStore.ts"
import * as RegistryStore from "../../src/layers/postgres/stores/PostgresRegistryStore.ts"
import * as Postgres from "../../src/layers/postgres/stores/PostgresRetentionStore.ts"
import { ExecutionId } from "../../src/services/executions/Execution.ts"
import { ExecutionStore } from "../../src/services/executions/ExecutionStore.ts"
import { RegistryStore as Registry } from "../../src/services/registry/RegistryStore.ts"
import { type RemovedRows, RetentionStore } from "../../src/services/retention/RetentionStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"

const day = 86_400_000

/**
 * A flowline of the tenant, saved or not, with executions that ended `days[i]` days ago and printed `lines` lines each.
 */
const history = Effect.fnUntraced(function* (
  tenant: TenantId,
  flowline: string,
  saved: boolean,
  days: ReadonlyArray<number>,
  lines = 3
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into flowlines (tenant, id, version, saved, unsaved_at)
    values (${tenant}, ${flowline}, 1, ${saved}, case when ${saved} then null else now() - interval '1 year' end)`
  yield* sql`
    insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
    values (${tenant}, ${flowline}, 1, '{}', 'p', now() - interval '1 year')`
  for (const [at, ago] of days.entries()) {
    const id = `${flowline}-${at}`
    yield* sql`
      insert into executions (tenant, id, flowline_id, version, runtime, state, lines, output_bytes)
      values (${tenant}, ${id}, ${flowline}, 1, 'stream', 'RUNNING', ${lines}, ${100 * lines})`
    yield* sql`insert into execution_events values (${tenant}, ${id}, 1, 'begun', now())`
    yield* sql`
      insert into execution_output (tenant, execution_id, seq, at, component, text)
      select ${tenant}, ${id}, seq, now(), 'show', 'line' from generate_series(1, ${lines}::bigint) seq`
    yield* sql`insert into positions values (${tenant}, ${id}, 'in', '{}')`
    yield* sql`
      update executions set state = 'SUCCEEDED', ended_at = now() - ${ago} * interval '1 day'
      where tenant = ${tenant} and id = ${id}`
  }
})

const left = Effect.fnUntraced(function* (tenant: TenantId) {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* sql<{ id: string }>`select id from executions where tenant = ${tenant} order by ended_at desc`
  const count = (table: string) =>
    Effect.map(
      sql<{ n: number }>`select count(*)::integer as n from ${sql(table)} where tenant = ${tenant}`,
      ([row]) => row?.n ?? 0
    )
  return {
    ids: ids.map(({ id }) => id),
    events: yield* count("execution_events"),
    lines: yield* count("execution_output"),
    positions: yield* count("positions"),
    flowlines: yield* count("flowlines")
  }
})

/** All steps until nothing is left to delete. */
const all = Effect.fnUntraced(function* <E>(step: Effect.Effect<RemovedRows, E>) {
  const steps: Array<number> = []
  for (;;) {
    const { number } = yield* step
    if (number === 0) return steps
    steps.push(number)
  }
})

/** The blobs that deletions have noted as unused. */
const freed = Effect.fnUntraced(function* (tenant: TenantId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ sha256: string }>`
    select sha256 from unused_blobs where tenant = ${tenant} and deleted order by sha256`
  return rows.map(({ sha256 }) => sha256)
})

const stores = Layer.mergeAll(
  Postgres.layer.pipe(Layer.provide(ArtifactStore.layer)),
  ArtifactStore.layer,
  RegistryStore.layer,
  PostgresExecutions.layer
).pipe(Layer.provideMerge(TestPostgres))

layer(stores)("the retention of history", (it) => {
  it.effect("deletes executions by age with all that belongs to them, and the flowlines that only they ran", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const sql = yield* SqlClient.SqlClient
      const tenant = TenantId("by-age")
      yield* history(tenant, "saved", true, [400, 20, 5])
      yield* history(tenant, "once", false, [40])
      yield* history(TenantId("another"), "other", true, [400])
      yield* sql`
        insert into executions (tenant, id, flowline_id, version, runtime, state)
        values (${tenant}, 'running', 'saved', 1, 'stream', 'RUNNING')`
      const rule = { age: 30 * day }
      expect(yield* store.due(tenant, "executions", rule)).toEqual({ number: 2, bytes: 600, blobs: [] })
      expect(yield* store.history(tenant, "executions", rule)).toEqual({ number: 2, bytes: 600, blobs: [] })
      expect(yield* left(tenant)).toEqual({
        ids: ["running", "saved-2", "saved-1"],
        ...{ events: 2, lines: 6, positions: 2, flowlines: 1 }
      })
      expect((yield* store.history(tenant, "executions", rule)).number).toBe(0)
      expect((yield* left(TenantId("another"))).ids).toEqual(["other-0"])
    })
  )

  it.effect("deletes the oldest beyond a number and beyond bytes, in steps", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const tenant = TenantId("by-number")
      const days = Array.from({ length: 450 }, (_, at) => 1 + at / 1000)
      yield* history(tenant, "f", true, days, 1)
      expect(yield* store.due(tenant, "executions", { number: 8 })).toMatchObject({ number: 442, bytes: 44_200 })
      expect(yield* all(store.history(tenant, "executions", { number: 8 }))).toEqual([200, 200, 42])
      const newest = Array.from({ length: 8 }, (_, at) => `f-${at}`)
      expect((yield* left(tenant)).ids).toEqual(newest)
      // 100 bytes each: three of them are 300.
      expect(yield* all(store.history(tenant, "executions", { bytes: 399, number: 1000 }))).toEqual([5])
      expect((yield* left(tenant)).ids).toEqual(newest.slice(0, 3))
      expect(yield* all(store.history(tenant, "executions", {}))).toEqual([])
    })
  )

  it.effect("keeps what the rule says also when two gateways delete at once", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const wide = yield* WideSql
      const tenant = TenantId("two-at-once")
      const days = Array.from({ length: 300 }, (_, at) => 1 + at / 1000)
      yield* history(tenant, "f", true, days, 1)
      const step = store.history(tenant, "executions", { number: 50 })
      const [deleted, commit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const other = yield* step.pipe(
        Effect.tap(() => Effect.andThen(Deferred.succeed(deleted, undefined), Deferred.await(commit))),
        wide.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(deleted)
      expect((yield* step).number).toBe(0)
      yield* Deferred.succeed(commit, undefined)
      expect((yield* Fiber.join(other)).number).toBe(200)
      expect(yield* all(step)).toEqual([50])
      expect((yield* left(tenant)).ids).toHaveLength(50)
    })
  )

  it.effect("deletes a one-shot flowline with its execution on request", () =>
    Effect.gen(function* () {
      const executions = yield* ExecutionStore
      const tenant = TenantId("on-request")
      yield* history(tenant, "once", false, [1, 2])
      const remove = (id: string) => executions.remove({ tenant, id: ExecutionId(id) })
      expect(yield* remove("once-0")).toBe("SUCCEEDED")
      expect((yield* left(tenant)).flowlines).toBe(1)
      yield* remove("once-1")
      expect(yield* left(tenant)).toMatchObject({ ids: [], flowlines: 0 })
    })
  )

  it.effect("takes an execution with many lines by itself", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const tenant = TenantId("many-lines")
      yield* history(tenant, "f", true, [9, 8, 7], 12_000)
      expect(yield* all(store.history(tenant, "executions", { age: day }))).toEqual([1, 1, 1])
      expect(yield* left(tenant)).toMatchObject({ ids: [], lines: 0, events: 0 })
    })
  )

  it.effect("deletes archives, and names their blobs", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const sql = yield* SqlClient.SqlClient
      const tenant = TenantId("archives")
      for (const n of [3, 2, 1]) {
        yield* sql`
          insert into archives (tenant, id, flowline_id, sha256, size, entries, created_at)
          values (${tenant}, ${`a-${n}`}, 'f', ${`sha-${n}`}, 1000, 1, now() - ${n} * interval '1 day')`
      }
      expect(yield* store.history(tenant, "archives", { bytes: 2000 })).toEqual({
        ...{ number: 1, bytes: 1000, blobs: ["sha-3"] }
      })
      expect(yield* store.history(tenant, "archives", { age: 1.5 * day })).toMatchObject({ blobs: ["sha-2"] })
      expect(yield* store.history(tenant, "archives", { number: 1 })).toMatchObject({ number: 0 })
      expect(yield* freed(tenant)).toEqual(["sha-2", "sha-3"])
    })
  )

  it.effect("deletes flowlines that are not saved and have no execution, but no new ones", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const sql = yield* SqlClient.SqlClient
      const tenant = TenantId("unused")
      yield* history(tenant, "saved", true, [])
      yield* history(tenant, "unused", false, [])
      yield* history(tenant, "used", false, [1])
      yield* history(tenant, "new", false, [])
      yield* sql`update flowlines set unsaved_at = now() where tenant = ${tenant} and id = 'new'`
      expect(yield* store.unused(tenant, Date.now() - day)).toMatchObject({ number: 0 })
      expect(yield* store.unused(tenant, 0)).toMatchObject({ number: 1 })
      const names = yield* sql<{ id: string }>`select id from flowlines where tenant = ${tenant} order by id`
      expect(names.map(({ id }) => id)).toEqual(["new", "saved", "used"])
    })
  )
})

layer(stores)("the retention of versions", (it) => {
  it.effect("keeps the current version, those that executions ran, and as many as the rule says", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const sql = yield* SqlClient.SqlClient
      const tenant = TenantId("versions")
      yield* history(tenant, "f", true, [1])
      yield* sql`
        insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
        select ${tenant}, 'f', v, '{}', 'p', now() from generate_series(2, 6) v`
      yield* sql`update flowlines set version = 6 where tenant = ${tenant}`
      const look = store.superseded(tenant, "flowlines", { number: 2 }, "", true)
      expect(yield* look).toEqual({ number: 3, bytes: 6, blobs: [], next: undefined })
      expect(yield* store.superseded(tenant, "flowlines", { number: 2 }, "", false)).toMatchObject({ number: 3 })
      const kept = yield* sql<{ version: number }>`
        select version from flowline_versions where tenant = ${tenant} order by version`
      expect(kept.map(({ version }) => version)).toEqual([1, 5, 6])
      // Superseded a year ago, or just now.
      expect(yield* store.superseded(tenant, "flowlines", { age: day }, "", false)).toMatchObject({ number: 0 })
    })
  )

  it.effect("goes through all names of the registry in pages", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const registry = yield* Registry
      const tenant = TenantId("pages")
      const noQuota = { bytes: undefined, entries: undefined }
      const put = (path: string, sha256: string) =>
        registry.put(tenant, path, { sha256, size: 5 }, { _tag: "Anything" }, noQuota)
      for (let n = 0; n < 210; n++) yield* put(`p/${String(n).padStart(3, "0")}`, "new")
      for (const sha256 of ["second", "third"]) yield* put("p/209", sha256)
      const first = yield* store.superseded(tenant, "registry", { number: 1 }, "", false)
      expect(first).toMatchObject({ number: 0, next: "p/198" })
      const second = yield* store.superseded(tenant, "registry", { number: 1 }, first.next ?? "", false)
      expect({ ...second, blobs: second.blobs.toSorted() }).toEqual({
        ...{ number: 2, bytes: 10, blobs: ["new", "second"], next: undefined }
      })
      expect(yield* freed(tenant)).toEqual(["new", "second"])
      expect(yield* registry.get(tenant, "p/209")).toMatchObject({ version: 3, sha256: "third" })
      expect(yield* put("p/209", "fourth")).toMatchObject({ version: 4 })
    })
  )
})
