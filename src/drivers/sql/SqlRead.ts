import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import type { DatabaseQuery, DatabaseRow } from "../../nodes/ports/Databases.ts"
import { Failure } from "../Failure.ts"
import { identifier } from "./Identifier.ts"
import { isParameter, placeOf, reasonOf, stateOf } from "./SqlFailure.ts"

/** Maximum size of a row's JSON in bytes. */
const maxRowBytes = 4 * 1024 * 1024
/** The size of a piece that is passed on, in bytes, and its largest number of rows. */
const pieceBytes = 512 * 1024
const pieceRows = 1000

/**
 * Sets what the transaction needs, whatever is set for the role or the database: the formats of values, and no time limit,
 * because nodes may slow down the reading. A server that can check whether its client is still connected does so, so that
 * the query ends with its run. Settings that an older server does not know are left out.
 */
const settings = `select set_config(name, value, true) from (values
  ('IntervalStyle', 'iso_8601'), ('extra_float_digits', '1'), ('bytea_output', 'hex'),
  ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'),
  ('client_connection_check_interval', case when version() ~ 'linux' then '2s' else '0' end)
  ) wanted (name, value) where name in (select name from pg_catalog.pg_settings)`

/** The statement around the query, and how many characters stand before the query. */
const statementOf = ({ text, by, after }: DatabaseQuery) => {
  const columns = by.map((name) => `flow_row.${identifier(name)}`)
  const keys = columns.map((column, at) => `, ${column}::text as flow_key${at}`).join("")
  const names = by.map((_, at) => `, flow_key${at}`).join("")
  const small = `case when octet_length(flow_text) <= ${maxRowBytes} then flow_text end as flow_text`
  const outer = `select ${small}, octet_length(flow_text) as flow_size${names}`
  const inner = `select row_to_json(flow_row.*)::text as flow_text${keys}`
  const head = `declare flow_rows no scroll cursor for ${outer} from (${inner} from (\n`
  const list = columns.join(", ")
  const where =
    by.length === 0
      ? ""
      : after === undefined
        ? ` where ${columns.map((column) => `${column} is not null`).join(" and ")}`
        : ` where (${list}) > (${by.map((_, at) => `$${at + 1}`).join(", ")})`
  const order = by.length === 0 ? "" : ` order by ${list}`
  // Without the offset, PostgreSQL would make the JSON of each row twice.
  const tail = `\n) flow_row${where}${order} offset 0) flow_rest`
  return { statement: `${head}${text}${tail}`, head: head.length }
}

/** Line and column of the place in the query, both from 1. */
const lineOf = (text: string, at: number): string => {
  const before = text.slice(0, at)
  return `line ${before.split("\n").length}, column ${at - before.lastIndexOf("\n")}`
}

/** A fault in the query becomes a failure that names the place. */
const queryFailure = (error: SqlError, query: string, head: number): SqlError | Failure => {
  if (isParameter(error)) return new Failure(`The query: it has a parameter such as $1, for which there is no value`)
  if (!/^(42|0A|22|25006)/.test(stateOf(error))) return error
  // Characters there, UTF-16 units here: a query with others is as good as never longer.
  const place = placeOf(error)
  const at = place === undefined ? -1 : place - head
  const where = at >= 0 && at < query.length ? `, ${lineOf(query, at)}` : ""
  return new Failure(`The query${where}: ${reasonOf(error)}`)
}

/** Reads the query's rows by a cursor. What `take` rejects with fails the effect unchanged. */
export const read = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  given: DatabaseQuery,
  take: (rows: ReadonlyArray<DatabaseRow>) => Promise<void>
) {
  const connection = yield* sql.reserve
  const say = (text: string, parameters: ReadonlyArray<unknown> = []) =>
    connection.executeUnprepared(text, parameters, undefined)
  yield* Effect.addFinalizer(() => Effect.ignore(say("rollback")))
  yield* say("begin isolation level repeatable read read only")
  yield* say(settings)
  const query = { ...given, text: given.text.replace(/[\s;]+$/, "") }
  const { statement, head } = statementOf(query)
  const explained = Effect.mapError((error: unknown) =>
    error instanceof SqlError ? queryFailure(error, query.text, head) : error
  )
  yield* explained(say(statement, query.after ?? []))
  const rowOf = (row: Readonly<Record<string, unknown>>): DatabaseRow => ({
    text: typeof row["flow_text"] === "string" ? row["flow_text"] : undefined,
    size: Number(row["flow_size"]),
    key: query.by.map((_, at) => String(row[`flow_key${at}`]))
  })
  const [first] = yield* explained(say("fetch 1 from flow_rows"))
  if (first === undefined) return
  if (typeof first["flow_text"] === "string") {
    const twice = yield* say(
      "select name from json_object_keys($1::json) name group by name having count(*) > 1 limit 1",
      [first["flow_text"]]
    )
    if (twice[0] !== undefined) {
      return yield* Effect.fail(
        new Failure(`The query gives the column ${JSON.stringify(twice[0]["name"])} twice: name one of them with AS`)
      )
    }
  }
  let piece: Array<DatabaseRow> = [rowOf(first)]
  let bytes = 0
  const pass = Effect.suspend(() => {
    const rows = piece
    piece = []
    bytes = 0
    return rows.length === 0 ? Effect.void : Effect.tryPromise({ try: () => take(rows), catch: (cause) => cause })
  })
  for (let count = 16; ; count = Math.min(pieceRows, count * 2)) {
    let fetched = 0
    // The size of a row says nothing about the next one, so an answer is passed on while it arrives.
    yield* connection.executeStream(`fetch ${count} from flow_rows`, [], undefined).pipe(
      Stream.mapError((error) => queryFailure(error, query.text, head)),
      Stream.runForEachArray((rows) => {
        fetched += rows.length
        for (const row of rows.map(rowOf)) {
          piece.push(row)
          bytes += row.size
        }
        return bytes < pieceBytes ? Effect.void : pass
      })
    )
    yield* pass
    if (fetched < count) return
  }
}, Effect.scoped)
