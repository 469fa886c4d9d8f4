import { Effect, Layer, Redacted } from "effect"
import * as Aead from "effect/crypto/Aead"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { NoSecretKey } from "../../../errors/NoSecretKey.ts"
import { UnusableSecret } from "../../../services/secrets/SecretSource.ts"
import { anyState, type KeyUse, SecretStore } from "../../../services/secrets/SecretStore.ts"
import { aead, type SecretKey, SecretKeys } from "../../secrets/SecretKeys.ts"
import { reached } from "../statements/StoredRows.ts"

interface SecretRow {
  readonly tenant: string
  readonly name: string
  readonly version: string
  readonly keyId: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** Rows that are encrypted anew one after the other. */
const batch = 50

/**
 * What is authenticated with a value: a row that is copied to another tenant or name, or put together of two, cannot be
 * decrypted.
 */
const aadOf = ({ tenant, name, version }: Pick<SecretRow, "tenant" | "name" | "version">): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(["flow-gateway secret", tenant, name, version]))

/** Secrets in the table `secrets`, encrypted with AES-256-GCM. */
export const layer = Layer.effect(
  SecretStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* SecretKeys
    const { encrypt, decrypt } = yield* Aead.Aead

    const nextVersion = Effect.map(
      sql<{ version: string }>`select nextval('secret_versions')::text as version`,
      ([row]) => row?.version ?? ""
    )

    const sealed = Effect.fnUntraced(function* (
      { id, key }: SecretKey,
      row: Pick<SecretRow, "tenant" | "name" | "version">,
      value: Uint8Array
    ) {
      const nonce = crypto.getRandomValues(new Uint8Array(12))
      const ciphertext = yield* Effect.orDie(encrypt(key, value, { nonce, aad: aadOf(row) }))
      return { ...row, keyId: id, nonce, ciphertext } satisfies SecretRow
    })

    const opened = Effect.fnUntraced(function* (row: SecretRow, known: ReadonlyArray<SecretKey>) {
      const key = known.find(({ id }) => id === row.keyId)
      const what = `the stored secret ${row.name} of ${row.tenant}`
      if (key === undefined) {
        return yield* new UnusableSecret({
          detail: `${what} needs the key ${row.keyId}, which FLOW_SECRETS_KEY_FILE does not have: add it there, or set the secret again`
        })
      }
      return yield* Effect.mapError(
        decrypt(key.key, row.ciphertext, { nonce: row.nonce, aad: aadOf(row) }),
        () =>
          new UnusableSecret({
            detail: `${what} cannot be decrypted: its row was changed, or another key has the id ${row.keyId}. Set the secret again`
          })
      )
    })

    const columns = sql.literal('tenant, name, version::text as version, key_id as "keyId", nonce, ciphertext')

    /**
     * Encrypts the row with the key, if nobody has changed it meanwhile. It keeps its version: a new one would be later
     * than that of a value which is being set, and that value would be dropped.
     */
    const renew = Effect.fnUntraced(function* (row: SecretRow, key: SecretKey, known: ReadonlyArray<SecretKey>) {
      const value = yield* opened(row, known)
      const { keyId, nonce, ciphertext } = yield* sealed(key, row, value)
      yield* sql`
        update secrets set key_id = ${keyId}, nonce = ${nonce}, ciphertext = ${ciphertext}
        where tenant = ${row.tenant} and name = ${row.name} and version = ${row.version}::bigint
          and key_id = ${row.keyId}`
    })

    return SecretStore.of({
      put: Effect.fn("SecretStore.put")(function* (tenant, name, value, by, most, state = anyState) {
        const [key] = yield* keys.current
        if (key === undefined) {
          return yield* new NoSecretKey({
            detail:
              "The operator has to name a file of keys in FLOW_SECRETS_KEY_FILE; flow-gateway new-secrets-key prints one"
          })
        }
        const row = { tenant, name, version: yield* nextVersion }
        const { keyId, nonce, ciphertext, version } = yield* sealed(
          key,
          row,
          new TextEncoder().encode(Redacted.value(value))
        )
        const own = sql`from secrets where tenant = ${tenant} and name = ${name}`
        // Locked, a secret that may only be replaced cannot be removed before it is.
        const room = state.absent
          ? sql`select 1 where exists (select ${own}) or (select count(*) from secrets where tenant = ${tenant}) < ${most}`
          : sql`select 1 ${own} for update`
        // A later version may have been written meanwhile; then it is as if this one had been written before it.
        const written = yield* reached(sql`
          with room as (${room})
          insert into secrets as old (tenant, name, version, key_id, nonce, ciphertext, set_by)
          select ${tenant}, ${name}, ${version}::bigint, ${keyId}, ${nonce}::bytea, ${ciphertext}::bytea, ${by} from room
          on conflict (tenant, name) do update set version = excluded.version, key_id = excluded.key_id,
            nonce = excluded.nonce, ciphertext = excluded.ciphertext, set_at = excluded.set_at, set_by = excluded.set_by
          where old.version < excluded.version and ${state.present}::boolean
          returning 1`)
        if (written) return "stored"
        const isThere = yield* reached(sql`select ${own}`)
        if (isThere) return state.present ? "stored" : "excluded"
        return state.absent ? "full" : "excluded"
      }, unreachable),
      remove: Effect.fn("SecretStore.remove")(function* (tenant, name) {
        return yield* reached(sql`delete from secrets where tenant = ${tenant} and name = ${name} returning 1`)
      }, unreachable),
      read: Effect.fn("SecretStore.read")(function* (tenant, name) {
        const [row] = yield* sql<SecretRow>`
          select ${columns} from secrets where tenant = ${tenant} and name = ${name}`
        if (row === undefined) return undefined
        return Redacted.make(new TextDecoder().decode(yield* opened(row, yield* keys.current)))
      }, unreachable),
      list: Effect.fn("SecretStore.list")(
        (tenant) => sql<{ name: string; keyId: string; setAt: Date; setBy: string }>`
          select name, key_id as "keyId", set_at as "setAt", set_by as "setBy" from secrets
          where tenant = ${tenant} order by name`,
        (rows) =>
          unreachable(
            Effect.map(rows, (all) => all.map(({ setAt, ...row }) => ({ ...row, updatedAt: setAt.toISOString() })))
          )
      ),
      rotate: Effect.gen(function* () {
        const known = yield* keys.current
        const [first] = known
        if (first === undefined) return
        const others = known.slice(1).map(({ id }) => id)
        const left: Array<string> = []
        for (let after = { tenant: "", name: "" }; ; ) {
          const rows = yield* unreachable(sql<SecretRow>`
            select ${columns} from secrets
            where key_id = any(${others}::text[]) and (tenant, name) > (${after.tenant}, ${after.name})
            order by tenant, name limit ${batch}`)
          for (const row of rows) {
            yield* Effect.catchTag(unreachable(renew(row, first, known)), "UnusableSecret", ({ detail }) =>
              Effect.sync(() => left.push(detail))
            )
          }
          const last = rows.at(-1)
          if (last === undefined || rows.length < batch) break
          after = last
        }
        if (left.length > 0)
          yield* Effect.logError(`${left.length} stored secrets keep an old key. The first: ${left[0]}`)
      }).pipe(Effect.withSpan("SecretStore.rotate")),
      keyUse: Effect.gen(function* () {
        const [first, ...others] = yield* keys.current
        const rows = yield* sql<{ keyId: string; number: number }>`
          select key_id as "keyId", count(*)::integer as number from secrets group by key_id`
        const counts = new Map<KeyUse, number>([
          ["current", 0],
          ["old", 0],
          ["missing", 0]
        ])
        for (const { keyId, number } of rows) {
          const use = keyId === first?.id ? "current" : others.some(({ id }) => id === keyId) ? "old" : "missing"
          counts.set(use, (counts.get(use) ?? 0) + number)
        }
        return counts
      }).pipe(unreachable)
    })
  })
).pipe(Layer.provide(aead))
