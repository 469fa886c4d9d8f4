import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../src/layers/postgres/stores/PostgresArtifactStore.ts"
import { ArtifactName, ArtifactVersion, GroupName } from "../../src/services/artifacts/Artifact.ts"
import { ArtifactStore } from "../../src/services/artifacts/ArtifactStore.ts"
import { ownEntry } from "../../src/services/audit/Audit.ts"
import type { Quota } from "../../src/services/blobs/Quota.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"

const unlimited: Quota = { bytes: undefined, entries: undefined }

const put = (
  tenant: TenantId,
  version: string,
  sha256: string,
  { quota = unlimited, artifact = "a", type = "FILE", expectsMore = false } = {}
) =>
  Effect.flatMap(ArtifactStore, (store) =>
    store.put(
      tenant,
      {
        ...{ group: GroupName("g"), artifact: ArtifactName(artifact), version: ArtifactVersion(version), type },
        ...{ sha256, size: 5, doc: "{}", described: "{}", stored: "g/a/f" }
      },
      quota,
      ownEntry({ action: "resources.upload", target: `g:${artifact}:${version}`, after: sha256 }),
      expectsMore
    )
  )

/** The digests of the tenant's versions, of their stored resource, and of the audit's rows. */
const kept = Effect.fnUntraced(function* (tenant: TenantId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ builds: string; stored: string; rows: string }>`
    select
      (select string_agg(sha256, ' ' order by sha256) from artifact_versions where tenant = ${tenant}) as builds,
      (select string_agg(sha256, ' ' order by sha256) from stored_versions where tenant = ${tenant}) as stored,
      (select string_agg(digest_after, ' ' order by digest_after) from audit where tenant = ${tenant}) as rows`
  return row
})

layer(Postgres.layer.pipe(Layer.provideMerge(TestPostgres)))("builds in PostgreSQL", (it) => {
  it.effect("have their row of the audit and their stored resource, also of many at once", () =>
    Effect.gen(function* () {
      const tenant = TenantId("many")
      const all = ["a", "b", "c", "d", "e", "f"]
      const puts = all.map((sha256, at) => put(tenant, `1.${at}`, sha256))
      const made = yield* Effect.all(puts, { concurrency: "unbounded" })
      expect(made.map(({ _tag }) => _tag)).toEqual(all.map(() => "Stored"))
      const each = all.join(" ")
      expect(yield* kept(tenant)).toEqual({ builds: each, stored: each, rows: each })
    })
  )

  it.effect("of one version at once are one, and the other leaves nothing", () =>
    Effect.gen(function* () {
      const tenant = TenantId("both")
      for (let round = 0; round < 10; round++) {
        const both = [put(tenant, `1.${round}`, `x${round}`), put(tenant, `1.${round}`, `y${round}`)]
        const made = yield* Effect.all(both, { concurrency: "unbounded" })
        expect(made.map(({ _tag }) => _tag).sort()).toEqual(["Different", "Stored"])
      }
      const { builds, stored, rows } = (yield* kept(tenant))!
      expect(builds.split(" ")).toHaveLength(10)
      expect([stored, rows]).toEqual([builds, builds])
      const first = builds.split(" ").find((sha256) => sha256.endsWith("0"))!
      expect((yield* put(tenant, "1.0", first))._tag).toBe("Repeated")
      expect((yield* kept(tenant))?.rows).toBe(rows)
    })
  )

  it.effect("beyond the quota leave nothing, while the others stay", () =>
    Effect.gen(function* () {
      const tenant = TenantId("full")
      const quota = { bytes: 10, entries: undefined }
      const puts = ["a", "b", "c"].map((sha256) => put(tenant, sha256, sha256, { quota }))
      const made = yield* Effect.all(puts, { concurrency: "unbounded" })
      expect(made.map(({ _tag }) => _tag).sort()).toEqual(["Over", "Stored", "Stored"])
      const { builds, stored, rows } = (yield* kept(tenant))!
      expect(builds.split(" ")).toHaveLength(2)
      expect([stored, rows]).toEqual([builds, builds])
    })
  )

  it.effect("share a transaction when more are about to come, with the row of the audit of each", () =>
    Effect.gen(function* () {
      const tenant = TenantId("company")
      const sql = yield* SqlClient.SqlClient
      const puts = ["a", "b", "c"].map((sha256) => put(tenant, "1", sha256, { artifact: sha256, expectsMore: true }))
      yield* Effect.all(puts, { concurrency: "unbounded" })
      const [made] = yield* sql<{ transactions: number; names: string; rows: string }>`
        select
          (select count(distinct xmin::text)::integer from artifact_versions where tenant = ${tenant}) as transactions,
          (select string_agg(version::text || ' ' || sha256, ', ' order by version) from stored_versions
            where tenant = ${tenant}) as names,
          (select string_agg(target || ' ' || digest_after, ', ' order by seq) from audit where tenant = ${tenant}) as rows`
      expect(made).toEqual({ transactions: 1, names: "1 a, 2 b, 3 c", rows: "g:a:1 a, g:b:1 b, g:c:1 c" })
    })
  )

  it.effect("are stored beside one that PostgreSQL refuses", () =>
    Effect.gen(function* () {
      const tenant = TenantId("refused")
      const faulty = put(tenant, "1", "f", { artifact: "f", type: "\u0000", expectsMore: true })
      const exits = yield* Effect.all([put(tenant, "1", "a", { expectsMore: true }), faulty].map(Effect.exit), {
        concurrency: "unbounded"
      })
      expect(exits.map(Exit.isSuccess)).toEqual([true, false])
      expect(yield* kept(tenant)).toEqual({ builds: "a", stored: "a", rows: "a" })
    })
  )

  it.effect("do not wait for one whose artifact somebody keeps locked", () =>
    Effect.gen(function* () {
      const tenant = TenantId("locked")
      const sql = yield* SqlClient.SqlClient
      yield* put(tenant, "1", "a", { artifact: "held" })
      const locked = yield* Deferred.make<void>()
      const isFree = yield* Deferred.make<void>()
      const lock = sql`select 1 from artifacts where tenant = ${tenant} for update`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(isFree))
      )
      const holder = yield* Effect.forkChild(sql.withTransaction(lock))
      yield* Deferred.await(locked)
      const waiting = yield* Effect.forkChild(put(tenant, "2", "b", { artifact: "held", expectsMore: true }), {
        startImmediately: true
      })
      expect((yield* put(tenant, "1", "c", { artifact: "free", expectsMore: true }))._tag).toBe("Stored")
      yield* Deferred.succeed(isFree, undefined)
      expect((yield* Fiber.join(waiting))._tag).toBe("Stored")
      yield* Fiber.join(holder)
    })
  )

  it.effect("are stored or known while they are removed", () =>
    Effect.gen(function* () {
      const tenant = TenantId("removed")
      const store = yield* ArtifactStore
      const remove = store.remove(tenant, GroupName("g"), ArtifactName("a"))
      for (let round = 0; round < 20; round++) {
        const [made] = yield* Effect.all([put(tenant, "1", "a"), remove], { concurrency: "unbounded" })
        expect(["Stored", "Repeated"]).toContain(made._tag)
      }
      yield* put(tenant, "1", "a")
      expect(yield* kept(tenant)).toMatchObject({ builds: "a", stored: "a" })
    })
  )
})
