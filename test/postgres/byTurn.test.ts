import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresStore from "../../src/layers/postgres/stores/PostgresFlowlineStore.ts"
import { FlowlineStore } from "../../src/services/flowlines/FlowlineStore.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"

const Store = PostgresStore.layer.pipe(Layer.provideMerge(TestPostgres))

layer(Store, { excludeTestServices: true })("reads of one turn", (it) => {
  it.effect("give every asker its own row, in whatever order and however often it is asked for", () =>
    Effect.gen(function* () {
      const store = yield* FlowlineStore
      for (let n = 0; n < 30; n++) {
        const tenant = TenantId(n % 2 === 0 ? "one" : "two")
        const id = FlowlineId(`f${n}`)
        yield* store.create(tenant, { id, dag: `{"n":${n}}`, platformId: "p" }, n % 3 === 0 ? "once" : "saved")
        if (n % 5 === 0) yield* store.remove(tenant, id)
      }
      // Six hundred concurrent ones exceed a single statement.
      const asked = Array.from({ length: 600 }, (_, at) => ({ tenant: at % 3 === 0 ? "two" : "one", n: (at * 7) % 40 }))
      const rows = yield* Effect.all(
        asked.map(({ tenant, n }) => store.get(TenantId(tenant), FlowlineId(`f${n}`))),
        { concurrency: "unbounded" }
      )
      expect(rows.map((row) => row?.dag)).toEqual(
        asked.map(({ tenant, n }) =>
          n < 30 && n % 5 !== 0 && (n % 2 === 0 ? "one" : "two") === tenant ? `{"n":${n}}` : undefined
        )
      )
    })
  )

  it.effect("fail alone when PostgreSQL will not take their key", () =>
    Effect.gen(function* () {
      const store = yield* FlowlineStore
      yield* store.create(TenantId("one"), { id: FlowlineId("good"), dag: "{}", platformId: "p" }, "saved")
      const [bad, good] = yield* Effect.all(
        [
          Effect.exit(store.get(TenantId("one"), FlowlineId("\u0000"))),
          Effect.exit(store.get(TenantId("one"), FlowlineId("good")))
        ],
        {
          concurrency: "unbounded"
        }
      )
      expect([bad._tag, good._tag]).toEqual(["Failure", "Success"])
    })
  )

  it.effect("go on for the others when an asker leaves", () =>
    Effect.gen(function* () {
      const store = yield* FlowlineStore
      const sql = yield* SqlClient.SqlClient
      yield* store.create(TenantId("one"), { id: FlowlineId("stays"), dag: "{}", platformId: "p" }, "saved")
      const [left, stayed] = yield* Effect.all(
        [
          Effect.exit(Effect.timeout(store.get(TenantId("one"), FlowlineId("stays")), 0)),
          Effect.exit(store.get(TenantId("one"), FlowlineId("stays")))
        ],
        { concurrency: "unbounded" }
      )
      expect([left._tag, stayed._tag]).toEqual(["Failure", "Success"])
      expect(yield* sql`select 1 as one`).toEqual([{ one: 1 }])
    })
  )
})
