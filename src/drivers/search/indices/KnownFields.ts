import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { typesOfBits } from "../../../languages/query/FieldTypes.ts"
import { original } from "../../../languages/query/StoredText.ts"
import { unreachable } from "../../postgres/Unreachable.ts"
import type { Fields } from "../Search.ts"
import { resolve } from "./Catalog.ts"

/** Fields that are told at most. */
const most = 2000

/** What is known of the fields of indices: their parts keep the types of what has been written. */
export const knownFields = (sql: SqlClient.SqlClient) =>
  Effect.fn("Search.fields")(function* (tenant: string, pattern: string) {
    const names = (yield* resolve(sql, tenant, pattern)).map(({ name }) => name)
    const parts = sql`search_indices join search_parts using (no)
      where tenant = ${tenant} and search_indices.name = any(${names}::text[])`
    const rows = yield* sql<{ name: string; bits: number }>`
      select name, bit_or(bits) as bits from (
        select (jsonb_each(types)).key as name, (jsonb_each(types)).value::integer as bits from ${parts}
      ) as each group by name order by name collate "C" limit ${most + 1}::bigint`
    const [rest] = yield* sql<{ more: boolean | null }>`select bool_or(more or types is null) as more from ${parts}`
    const fields = rows.slice(0, most).flatMap(({ name, bits }) => {
      const types = typesOfBits(bits)
      return types.length === 0 ? [] : [{ name: original(name), types }]
    })
    return { fields, more: rows.length > most || rest?.more === true } satisfies Fields
  }, unreachable)
