import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction, unreachable } from "../../../drivers/postgres/Unreachable.ts"
import type { KeyId } from "../../../services/keys/ApiKey.ts"
import {
  type AddResult,
  endedDays,
  KeyStore,
  type NewKey,
  type StoredKey,
  useInterval
} from "../../../services/keys/KeyStore.ts"
import type { ListRow } from "../../../services/shared/reads/Listing.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { listPages } from "../statements/Pages.ts"
import { ordinal } from "../statements/SqlText.ts"

interface Row extends Omit<StoredKey, "expiresAt" | "lastUsedAt"> {
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

const millis = (time: Date | null): number | undefined => time?.getTime()

/** API keys in the table `api_keys`. */
export const layer = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    const isValid = sql`revoked_at is null and (expires_at is null or expires_at > now())`
    /** Held by what makes and revokes keys, so that no key is made with one that is just being revoked. */
    const lock = (tenant: TenantId) => sql`select pg_advisory_xact_lock(hashtextextended(${`keys ${tenant}`}, 0))`

    const add = Effect.fn("KeyStore.add")(function* (key: NewKey, most: number) {
      const { id, tenant, sha256, name, role, owner, parent = null } = key
      const expiresAt = key.expiresAt === undefined ? null : new Date(key.expiresAt)
      yield* lock(tenant)
      // A key never outlives the one with which it was made, so no row is left without its parent.
      yield* sql`
        delete from api_keys where tenant = ${tenant}
        and least(revoked_at, expires_at) < now() - make_interval(days => ${endedDays}::integer)`
      const [known] = yield* sql<{ used: number; parents: number }>`
        select count(*)::integer as used, (count(*) filter (where id = ${parent}::text))::integer as parents
        from api_keys where tenant = ${tenant} and ${isValid}`
      if (parent !== null && known?.parents === 0) return { _tag: "ParentEnded" } as const
      if (known !== undefined && known.used >= most) return { _tag: "Full", used: known.used } as const
      const [row] = yield* sql<{ createdAt: string }>`
        insert into api_keys (id, tenant, sha256, name, role, owner, parent, expires_at)
        values (${id}, ${tenant}, ${sha256}, ${name}, ${role}, ${owner}, ${parent}, ${expiresAt})
        on conflict (id) do nothing returning flow_iso(created_at) as "createdAt"`
      return row === undefined ? ({ _tag: "IdTaken" } as const) : ({ _tag: "Added", ...row } satisfies AddResult)
    })

    const find = Effect.fn("KeyStore.find")(function* (ids: ReadonlyArray<KeyId>) {
      if (ids.length === 0) return []
      const rows = yield* sql<Row>`
        select id, tenant, sha256, role, owner, expires_at as "expiresAt", last_used_at as "lastUsedAt",
          revoked_at is not null as "isRevoked"
        from api_keys where ${sql.in("id", ids)}`
      return rows.map(
        (row): StoredKey => ({
          ...row,
          expiresAt: millis(row.expiresAt),
          lastUsedAt: millis(row.lastUsedAt)
        })
      )
    }, unreachable)

    const revoke = Effect.fn("KeyStore.revoke")(function* (tenant: TenantId, id: KeyId) {
      yield* lock(tenant)
      const [row] = yield* sql<{ exists: boolean; changed: boolean }>`
        with recursive ended as (
          select id from api_keys where tenant = ${tenant} and id = ${id}
          union select made.id from api_keys made join ended on made.parent = ended.id
        ), changed as (
          update api_keys set revoked_at = now() where id in (select id from ended) and revoked_at is null returning id
        )
        select exists (select from ended), exists (select from changed) as changed`
      if (row?.changed === true) return "Now"
      return row?.exists === true ? "Before" : "Absent"
    })

    const used = Effect.fn("KeyStore.used")(function* (ids: ReadonlyArray<KeyId>) {
      if (ids.length === 0) return
      yield* sql`
        update api_keys set last_used_at = now() where ${sql.in("id", ids)}
        and (last_used_at is null or last_used_at < now() - make_interval(secs => ${useInterval / 1000}::integer))`
    }, unreachable)

    return KeyStore.of({
      add: (key, most) => transaction(sql, add(key, most)),
      find,
      revoke: (tenant, id) => transaction(sql, revoke(tenant, id)),
      used,
      list: (tenant, span) =>
        listPages(
          span,
          (after, rows) => wide<ListRow>`
            select ordinal::text as key,
              '{"id":' || to_json(id) || ',"name":' || to_json(name) || ',"role":' || to_json(role)
              || ',"owner":' || to_json(owner) || ',"parent":' || coalesce(to_json(parent)::text, 'null')
              || ',"createdAt":"' || flow_iso(created_at) || '"'
              || ',"expiresAt":' || coalesce('"' || flow_iso(expires_at) || '"', 'null')
              || ',"lastUsedAt":' || coalesce('"' || flow_iso(last_used_at) || '"', 'null')
              || ',"revokedAt":' || coalesce('"' || flow_iso(revoked_at) || '"', 'null') || '}' as json
            from api_keys where tenant = ${tenant} and ordinal > ${ordinal(after)}::bigint
            order by ordinal limit ${rows}::bigint`
        )
    })
  })
)
