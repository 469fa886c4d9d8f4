import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

/** Text that PostgreSQL accepts: without NUL and without unpaired surrogates. */
export const storable = (text: string): string => text.replaceAll("\u0000", "\uFFFD").toWellFormed()

/**
 * A time as ISO 8601 text. Lists use it in place of the function `flow_iso`, which PostgreSQL cannot inline: its
 * calls were a third of the processor time of a list.
 */
export const isoTime = (sql: SqlClient.SqlClient, time: string): Fragment =>
  sql.literal(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

/** The time of so many milliseconds since 1970; null for null. */
export const timeOf = (sql: SqlClient.SqlClient, millis: number | null): Fragment =>
  sql`to_timestamp(${millis}::float8 / 1000)`

/** The milliseconds of an interval, or of a time since 1970. */
export const millisOf = (sql: SqlClient.SqlClient, time: string): Fragment =>
  sql.literal(`(extract(epoch from ${time}) * 1000)::float8`)

/** The ordinal in a cursor's key. A key comes from the client: one that is not an ordinal starts at the first row. */
export const ordinal = (key: string | undefined): string => (key !== undefined && /^\d{1,18}$/.test(key) ? key : "0")
