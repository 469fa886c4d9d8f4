import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { ChainCheck, type ChainFault, type Head } from "../../../services/audit/Chain.ts"
import type { AuditEntry } from "../../../services/audit/Entry.ts"
import { entryColumns } from "./PostgresAuditStore.ts"

/** Rows that are in memory at once. */
const pageRows = 1000

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What was found of a chain. */
export interface CheckedChain {
  /** Empty for what belongs to no tenant. */
  readonly tenant: string
  readonly rows: number
  readonly first: Pick<AuditEntry, "seq" | "time"> | undefined
  readonly last: Pick<AuditEntry, "seq" | "time"> | undefined
  readonly head: Head | undefined
  readonly fault: ChainFault | undefined
  /** Whether the wanted hash is that of a row, or of the last row that retention has removed. */
  readonly hasWanted: boolean
}

/** The tenants that have rows, or a head. */
export const auditChains = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ tenant: string }>`
      with recursive found(tenant) as (
        (select tenant from audit order by tenant limit 1)
        union all
        select (select a.tenant from audit a where a.tenant > found.tenant order by a.tenant limit 1) from found
        where found.tenant is not null
      )
      select tenant from found where tenant is not null union select tenant from audit_heads order by tenant`,
    (rows) => rows.map(({ tenant }) => tenant)
  )

/**
 * Checks a chain as it is at one moment, a page of rows at a time. It stops at the first fault. `wanted` is the hash of
 * a head that was noted earlier.
 */
export const checkChain = (
  sql: SqlClient.SqlClient,
  tenant: string,
  wanted?: string
): Effect.Effect<CheckedChain, SqlError> =>
  Effect.gen(function* () {
    yield* sql`set transaction isolation level repeatable read read only`
    const [head] = yield* sql<Head>`select seq::float8 as seq, hash from audit_heads where tenant = ${tenant}`
    const check = new ChainCheck(sha256)
    let fault: ChainFault | undefined
    let hasWanted = false
    for (let after = "-9223372036854775808"; fault === undefined; ) {
      const rows = yield* sql<AuditEntry & { key: string }>`
        select ${entryColumns(sql)}, audit.seq::text as key from audit
        where tenant = ${tenant} and seq > ${after}::bigint order by audit.seq limit ${pageRows}`
      const last = rows.at(-1)
      if (last === undefined) break
      after = last.key
      for (const row of rows) {
        if (check.rows === 0 && row.previous === wanted) hasWanted = true
        fault = check.next(row)
        if (fault !== undefined) break
        if (row.hash === wanted) hasWanted = true
      }
    }
    fault ??= check.end(head)
    return { tenant, rows: check.rows, first: check.first, last: check.last, head, fault, hasWanted }
  }).pipe(sql.withTransaction)
