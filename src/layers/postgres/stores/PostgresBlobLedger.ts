import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { BlobLedger, type BlobName, type UnusedBlob } from "../../../services/blobs/BlobLedger.ts"
import { TenantId } from "../../../services/shared/Tenant.ts"
import { millisOf, timeOf } from "../statements/SqlText.ts"

interface NameRow {
  readonly tenant: string
  readonly sha256: string
}

const nameOf = ({ tenant, sha256 }: NameRow): BlobName => ({ tenant: TenantId(tenant), sha256 })

/**
 * Notes blobs as unused, in the client's transaction if there is one. In the order of the hashes, so that two
 * transactions that note the same blobs do not lock each other out.
 */
export const noteUnused = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tenant: TenantId,
  blobs: ReadonlyArray<UnusedBlob>
) {
  if (blobs.length === 0) return
  yield* sql`
    insert into unused_blobs (tenant, sha256, since, deleted)
    select distinct on (sha256) ${tenant}, sha256, to_timestamp(since / 1000), deleted from unnest(
      ${blobs.map((blob) => blob.sha256)}::text[],
      ${blobs.map((blob) => blob.since)}::float8[],
      ${blobs.map((blob) => blob.deleted)}::boolean[]
    ) as found (sha256, since, deleted) order by sha256
    on conflict (tenant, sha256) do update set since = excluded.since, deleted = excluded.deleted`
})

/**
 * The parts of a `with` that note the blobs of the part `gone`, in the same order, as freed by a deletion from this
 * history. Its count is changed at the end of the statement, so it is locked here: others change it before they note blobs.
 */
export const noteGone = (sql: SqlClient.SqlClient, tenant: TenantId, kind: string, now: Fragment) => sql`
  counted as materialized (
    select from history_usage where tenant = ${tenant} and kind = ${kind} and (select count(*) from gone) > 0 for update
  ),
  noted as (
    insert into unused_blobs (tenant, sha256, since, deleted)
    select distinct on (sha256) ${tenant}, sha256, ${now}, true from gone where exists (select from counted)
    order by sha256
    on conflict (tenant, sha256) do update set since = excluded.since, deleted = excluded.deleted
  )`

/** The tables `installation`, `unused_blobs`, `damaged_blobs` and `blob_check`. */
export const layer = Layer.effect(
  BlobLedger,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return BlobLedger.of({
      installation: unreachable(
        Effect.gen(function* () {
          yield* sql`insert into installation default values on conflict do nothing`
          const [row] = yield* sql<{ id: string }>`select id::text as id from installation`
          return row === undefined ? yield* Effect.die("the table of the installation is empty") : row.id
        })
      ),
      sample: unreachable(
        Effect.map(
          sql<NameRow>`
            (select tenant, sha256 from archives limit 25)
            union all (select tenant, sha256 from artifact_versions limit 25)
            union all (select tenant, sha256 from registry_versions limit 25)
            union all (select tenant, sha256 from stored_versions where sha256 is not null limit 25)`,
          (rows) => rows.map(nameOf)
        )
      ),
      unused: Effect.fn("BlobLedger.unused")(
        (tenant) => sql<{ sha256: string; since: number; deleted: boolean }>`
          select sha256, ${millisOf(sql, "since")} as since, deleted
          from unused_blobs where tenant = ${tenant}`,
        unreachable
      ),
      noteUnused: Effect.fn("BlobLedger.noteUnused")((tenant, blobs) => noteUnused(sql, tenant, blobs), unreachable),
      forgetUnused: Effect.fn("BlobLedger.forgetUnused")(function* (tenant, sha256s) {
        if (sha256s.length === 0) return
        yield* sql`
          with known as materialized (
            select sha256 from unused_blobs where tenant = ${tenant} and sha256 = any(${[...sha256s]}::text[])
            order by sha256 for update
          )
          delete from unused_blobs u using known where u.tenant = ${tenant} and u.sha256 = known.sha256`
      }, unreachable),
      damaged: unreachable(
        Effect.map(sql<NameRow>`select tenant, sha256 from damaged_blobs order by tenant, sha256`, (rows) =>
          rows.map(nameOf)
        )
      ),
      noteDamaged: Effect.fn("BlobLedger.noteDamaged")(function* ({ tenant, sha256 }) {
        yield* sql`insert into damaged_blobs (tenant, sha256) values (${tenant}, ${sha256}) on conflict do nothing`
      }, unreachable),
      forgetDamaged: Effect.fn("BlobLedger.forgetDamaged")(function* ({ tenant, sha256 }) {
        yield* sql`delete from damaged_blobs where tenant = ${tenant} and sha256 = ${sha256}`
      }, unreachable),
      takeCheck: Effect.fn("BlobLedger.takeCheck")(function* (gateway, seconds) {
        const [place] = yield* sql<{ tenant: string; sha256: string; began: number; ended: boolean }>`
          update blob_check
          set taken_by = ${gateway}, taken_until = clock_timestamp() + make_interval(secs => ${seconds})
          where taken_by = ${gateway} or taken_until < clock_timestamp()
          returning tenant, sha256, ${millisOf(sql, "round_began_at")} as began, round_ended as ended`
        if (place === undefined) return undefined
        const { tenant, sha256, began, ended } = place
        return { tenant, sha256, roundBeganAt: began, roundEnded: ended }
      }, unreachable),
      moveCheck: Effect.fn("BlobLedger.moveCheck")(function* (gateway, place) {
        yield* sql`
          update blob_check set tenant = ${place.tenant}, sha256 = ${place.sha256}, round_ended = ${place.roundEnded},
            round_began_at = ${timeOf(sql, place.roundBeganAt)}
          where taken_by = ${gateway}`
      }, unreachable)
    })
  })
)
