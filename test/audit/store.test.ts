import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { storable } from "../../src/layers/postgres/statements/SqlText.ts"
import * as PostgresAudit from "../../src/layers/postgres/stores/PostgresAuditStore.ts"
import { type AuditFilter, AuditStore, type Chain } from "../../src/services/audit/AuditStore.ts"
import { retentionAction } from "../../src/services/audit/Chain.ts"
import { AuditEntry } from "../../src/services/audit/Entry.ts"
import type { ListSpan } from "../../src/services/shared/reads/Listing.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"
import { entry, faultOf } from "./support.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(AuditEntry))

const list = (chain: Chain, filter: AuditFilter = {}, span: ListSpan = { after: undefined, limit: undefined }) =>
  Effect.flatMap(AuditStore, (store) =>
    Effect.map(Stream.runCollect(store.list(chain, filter, span)), (rows) => rows.map(({ json }) => decode(json)))
  )

const headOf = (chain: Chain) =>
  Effect.flatMap(AuditStore, ({ heads }) => Effect.map(heads, (all) => all.find((head) => head.chain === chain)))

const stores = Layer.provideMerge(PostgresAudit.layer, TestPostgres)

layer(stores)("the audit in PostgreSQL", (it) => {
  it.effect.prop(
    "hashes every text as JavaScript does",
    {
      text: Schema.String,
      other: Schema.NullOr(Schema.String),
      status: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: -1000, maximum: 1000 })))
    },
    ({ text, other, status }) =>
      Effect.gen(function* () {
        const store = yield* AuditStore
        const chain = TenantId("texts")
        const given = entry({
          target: text,
          principal: storable(other ?? ""),
          remote: other === null ? null : storable(other),
          status
        })
        yield* store.append(chain, [given])
        const rows = yield* list(chain)
        expect(rows.at(-1)).toMatchObject({ ...given, target: storable(text), tenant: chain })
        expect(faultOf(rows, yield* headOf(chain))).toBeUndefined()
      }),
    { arbitrary: { runs: 200 } }
  )

  it.effect("writes down special characters as RFC 8785 does", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const chain = TenantId("special")
      const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join("")
      yield* store.append(chain, [entry({ target: `${all}😀"\\/\u2028\ufeff` }), entry()])
      const rows = yield* list(chain)
      expect(rows[0]?.target).toContain("\u0001\u0002")
      expect(faultOf(rows, yield* headOf(chain))).toBeUndefined()
    })
  )

  it.effect("keeps one chain for each tenant, and one for what belongs to none, whoever appends at once", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const chains: ReadonlyArray<Chain> = [TenantId("one"), TenantId("two"), undefined]
      yield* Effect.forEach(
        Array.from({ length: 90 }, (_, n) => n),
        (n) => store.append(chains[n % 3], [entry({ target: `t${n}` }), entry({ target: `u${n}` })]),
        { concurrency: "unbounded" }
      )
      for (const [at, chain] of chains.entries()) {
        const rows = yield* list(chain)
        expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
        expect(
          rows.every(({ tenant, target }) => tenant === (chain ?? null) && Number(target.slice(1)) % 3 === at)
        ).toBe(true)
        expect(faultOf(rows, yield* headOf(chain))).toBeUndefined()
      }
    })
  )

  it.effect("shows any change of any column of a row, and of the head", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const sql = yield* SqlClient.SqlClient
      const chain = TenantId("columns")
      yield* store.append(
        chain,
        Array.from({ length: 5 }, (_, n) => entry({ target: `t${n}` }))
      )
      const columns = yield* sql<{ name: string; type: string }>`
        select column_name as name, data_type as type from information_schema.columns where table_name = 'audit'`
      expect(columns).toHaveLength(16)
      const other: Readonly<Record<string, string>> = {
        text: "'other'",
        bigint: "9",
        integer: "9",
        "timestamp with time zone": "at + interval '1 microsecond'"
      }
      const look = Effect.gen(function* () {
        const rows = yield* list(chain)
        const fault = faultOf(rows, yield* headOf(chain))
        return fault?.seq
      })
      expect(yield* look).toBeUndefined()
      const tried = (change: Effect.Effect<unknown, unknown>) =>
        Effect.flip(
          sql.withTransaction(
            Effect.flatMap(Effect.andThen(change, sqlLook(sql, chain)), (seq) => Effect.fail({ seq }))
          )
        )
      for (const { name, type } of columns) {
        const change = sql`update audit set ${sql(name)} = ${sql.literal(other[type] ?? "null")} where tenant = ${chain} and seq = 3`
        expect([name, yield* tried(change)]).toEqual([name, { seq: expect.any(Number) }])
      }
      const others = [
        sql`delete from audit where tenant = ${chain} and seq = 5`,
        sql`delete from audit where tenant = ${chain} and seq = 1`,
        sql`delete from audit where tenant = ${chain}`,
        sql`update audit_heads set seq = 4 where tenant = ${chain}`,
        sql`update audit_heads set hash = 'x' where tenant = ${chain}`,
        sql`delete from audit_heads where tenant = ${chain}`
      ]
      for (const [at, change] of others.entries()) {
        expect([at, yield* tried(change)]).toEqual([at, { seq: expect.any(Number) }])
      }
      expect(yield* look).toBeUndefined()
    })
  )

  it.effect("lists what a filter names, from a row on, and as many as asked for", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const sql = yield* SqlClient.SqlClient
      const chain = TenantId("lists")
      const entries = Array.from({ length: 1200 }, (_, n) =>
        entry({
          target: `t${n}`,
          principal: n % 100 === 0 ? "user:bob" : "user:alice",
          outcome: n % 2 === 0 ? "done" : "refused"
        })
      )
      for (let n = 0; n < 1200; n += 200) yield* store.append(chain, entries.slice(n, n + 200))
      const seqs = (filter: AuditFilter, span?: ListSpan) =>
        Effect.map(list(chain, filter, span), (rows) => rows.map(({ seq }) => seq))
      expect(yield* seqs({})).toHaveLength(1200)
      expect(yield* seqs({ principal: "user:bob" })).toEqual(Array.from({ length: 12 }, (_, n) => n * 100 + 1))
      expect(yield* seqs({ principal: "user:bob" }, { after: "301", limit: 2 })).toEqual([401, 501])
      expect(yield* seqs({ outcome: "refused", target: "t7" })).toEqual([8])
      expect(yield* seqs({ outcome: "done", target: "t7" })).toEqual([])
      expect(yield* seqs({ action: "none" })).toEqual([])
      expect(yield* seqs({}, { after: "1199", limit: undefined })).toEqual([1200])
      expect(yield* seqs({}, { after: "5000", limit: 3 })).toEqual([])
      // The rows of one append have different times.
      const [middle] = yield* sql<{ at: number }>`
        select (extract(epoch from date_trunc('milliseconds', at)) * 1000)::float8 as at from audit
        where tenant = ${chain} and seq = 600`
      const [before, rest] = [yield* seqs({ to: middle!.at }), yield* seqs({ from: middle!.at })]
      expect([...before, ...rest]).toEqual(Array.from({ length: 1200 }, (_, n) => n + 1))
      expect(rest).toContain(600)
    })
  )

  it.effect("removes old rows in steps, and stays provable", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const sql = yield* SqlClient.SqlClient
      const chain = TenantId("old")
      const day = 86_400_000
      const age = (rows: string) =>
        sql`update audit set at = at - interval '2 days' where tenant = ${chain} and ${sql.literal(rows)}`
      const expire = store.expire(chain, day, (last, count) =>
        entry({ action: retentionAction, target: String(last.seq), before: last.hash, after: null, count })
      )
      for (let n = 0; n < 6000; n += 200) {
        yield* store.append(
          chain,
          Array.from({ length: 200 }, (_, more) => entry({ target: `t${n + more}` }))
        )
      }
      expect(yield* expire).toBe(0)
      // An old row after a recent one stays: the remaining chain has no gaps.
      yield* age("seq <= 5500 or seq = 5800")
      expect([yield* expire, yield* expire, yield* expire]).toEqual([5000, 500, 0])
      const rows = yield* list(chain)
      expect([rows[0]?.seq, rows.length]).toEqual([5501, 502])
      expect(rows.slice(-2)).toMatchObject([
        { seq: 6001, action: retentionAction, target: "5000", count: 5000 },
        { seq: 6002, action: retentionAction, target: "5500", count: 500, before: rows[0]?.previous }
      ])
      // The time of row 5800 was changed, and that shows.
      expect(faultOf(rows, yield* headOf(chain))).toMatchObject({ seq: 5800 })
      yield* sql`update audit set at = at + interval '2 days' where tenant = ${chain} and seq = 5800`
      expect(faultOf(yield* list(chain), yield* headOf(chain))).toBeUndefined()
      // If all rows are old, only the row that records the removal stays, and it is not replaced repeatedly.
      yield* age("true")
      expect([yield* expire, yield* expire]).toEqual([502, 0])
      yield* age("true")
      expect(yield* expire).toBe(0)
      expect((yield* list(chain)).map(({ seq }) => seq)).toEqual([6003])
    })
  )
})

/** The number of the row at which a fault is detected, as the client's transaction sees the chain. */
const sqlLook = (sql: SqlClient.SqlClient, chain: Chain) =>
  Effect.gen(function* () {
    const rows = yield* sql<AuditEntry>`
      select ${PostgresAudit.entryColumns(sql)} from audit where tenant = ${chain ?? ""} order by audit.seq`
    const [head] = yield* sql<{ seq: number; hash: string }>`
      select seq::float8 as seq, hash from audit_heads where tenant = ${chain ?? ""}`
    return faultOf(rows, head)?.seq
  })
