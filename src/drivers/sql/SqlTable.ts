import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { listed, unknownName } from "../../languages/Suggest.ts"
import type { DatabaseTable, Outcomes } from "../../nodes/ports/Databases.ts"
import { Failure } from "../Failure.ts"
import { identifier } from "./Identifier.ts"
import { columnOf, isRowPolicy, reasonOf, stateOf } from "./SqlFailure.ts"

/**
 * A server that can check whether its client is still connected does so in this session. Without that, a statement that
 * waits for a lock would write its rows after its run was killed.
 */
export const watchClient = `select set_config(name, '2s', false) from pg_catalog.pg_settings
  where name = 'client_connection_check_interval' and version() ~ 'linux'`

type Row = Readonly<Record<string, unknown>>

/**
 * The states that are not the fault of a record. All others are: values that a column cannot hold, constraints, sizes, and
 * refusals of a view or a trigger, which may choose any state.
 */
const others = /^(0|1|20|2[4-9BDF]|3|40|42|5[3578]|72|F0|HV|XX|$)/

const isUnfit = (error: SqlError): boolean => !others.test(stateOf(error)) || isRowPolicy(error)

/** Maximum number of refused rows of a call whose column is looked for, because that takes a statement for each. */
const maxExplained = 100

const Names = Schema.Array(Schema.Struct({ name: Schema.String }))
const namesIn = Schema.decodeUnknownEffect(Names)
const Columns = Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String, checked: Schema.Boolean }))
const columnsIn = Schema.decodeUnknownEffect(Columns)

/** Rows that one statement can write: they have the same columns, and each key once. */
interface Group {
  readonly columns: ReadonlyArray<string>
  readonly at: Array<number>
}

/**
 * Divides the rows into statements. With a key that comes twice the order counts, so a statement ends where the columns
 * change or the key comes again.
 */
const groupsOf = (rows: ReadonlyArray<Row>, places: ReadonlyArray<number>, key: ReadonlyArray<string>) => {
  const keys = places.map((at) => JSON.stringify(key.map((name) => rows[at]?.[name])))
  const isOrdered = key.length > 0 && new Set(keys).size < keys.length
  const groups: Array<Group> = []
  const byColumns = new Map<string, Group>()
  let seen = new Set<string>()
  let last = ""
  for (const [index, at] of places.entries()) {
    const columns = Object.keys(rows[at]!)
    const name = JSON.stringify(columns)
    const known = byColumns.get(name)
    const fits = known !== undefined && (!isOrdered || (name === last && !seen.has(keys[index]!)))
    if (fits) known.at.push(at)
    else {
      const group = { columns, at: [at] }
      groups.push(group)
      byColumns.set(name, group)
      seen = new Set()
    }
    seen.add(keys[index]!)
    last = name
  }
  return groups
}

/** Finds the table and makes what writes to it. */
export const openTable = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, table: DatabaseTable) {
  const { key, conflict } = table
  const parts = table.schema === undefined ? [table.name] : [table.schema, table.name]
  const target = parts.map(identifier).join(".")
  const shown = parts.join(".")
  const [found] = yield* sql<{ oid: number | null }>`select to_regclass(${target})::oid::bigint::text as oid`
  if (found?.oid == null) {
    const tables = yield* Effect.flatMap(
      sql`select relname as name from pg_class where relkind in ('r', 'p', 'v', 'f') and relnamespace =
        coalesce(to_regnamespace(${table.schema === undefined ? null : identifier(table.schema)}),
          to_regnamespace(current_schema())) order by relname limit 1000`,
      namesIn
    )
    const names = tables.map(({ name }) => name)
    return yield* Effect.fail(new Failure(unknownName(table.name, names, `among the tables (${shown})`)))
  }
  // Without columns that the role may not write or a view computes: a statement must not even name them.
  const described = yield* Effect.flatMap(
    sql`select attname as name, format_type(atttypid, atttypmod) as type, typtype = 'd' as checked from (
        select *, relkind <> 'v' or relhastriggers or pg_column_is_updatable(attrelid, attnum, false)
            or exists (select from pg_rewrite where ev_class = attrelid and ev_type = '3' and is_instead) as fits
        from pg_attribute join pg_class on pg_class.oid = attrelid where attrelid = ${found.oid}::oid
      ) attribute join pg_type on pg_type.oid = atttypid
      where attnum > 0 and not attisdropped and attgenerated = '' and attidentity <> 'a' and fits
        and has_column_privilege(attrelid, attnum, 'insert') order by attnum`,
    columnsIn
  )
  const columns = described.map(({ name }) => name)
  const missing = key.find((name) => !columns.includes(name))
  if (missing !== undefined) {
    return yield* Effect.fail(new Failure(`${unknownName(missing, columns, `in the table ${shown}`)} (key)`))
  }
  const keys = `(${key.map(identifier).join(", ")})`

  const isChecked = described.some(({ checked }) => checked)
  /** The rows of `$1` with only these columns: in a whole row, absent members are null, which a domain may refuse. */
  const sourceOf = (names: ReadonlyArray<string>): string => {
    if (!isChecked) return `json_populate_recordset(null::${target}, $1::json)`
    const typed = described.filter(({ name }) => names.includes(name))
    const list = typed.map(({ name, type }) => `${identifier(name)} ${type}`)
    return `json_to_recordset($1::json) as flow_row(${list.join(", ")})`
  }
  const statementOf = (names: ReadonlyArray<string>): string => {
    const list = names.map(identifier)
    const free = names.filter((name) => !key.includes(name)).map(identifier)
    const updates = free.map((name) => `${name} = excluded.${name}`).join(", ")
    const doing = conflict === "update" && updates !== "" ? `update set ${updates}` : "nothing"
    const clause = conflict === undefined ? "" : ` on conflict ${key.length === 0 ? "" : keys} do ${doing}`
    if (list.length === 0) return `insert into ${target} select from json_array_elements($1::json)${clause}`
    return `insert into ${target} (${list.join(", ")}) select ${list.join(", ")} from ${sourceOf(names)}${clause}`
  }
  const insert = (names: ReadonlyArray<string>, rows: ReadonlyArray<Row>) =>
    sql.unsafe(statementOf(names), [JSON.stringify(rows)])

  // Without rows, this says whether the table can be written and whether the key is one.
  yield* Effect.catchIf(
    insert(columns, []),
    (error) => stateOf(error) === "42P10",
    () =>
      Effect.fail(
        new Failure(
          `The table ${shown} has no unique index on ${listed(key)}, which key needs: create one or change key`
        )
      )
  )

  const insertAll = (rows: ReadonlyArray<Row>, places: ReadonlyArray<number>) => {
    const groups = groupsOf(rows, places, key)
    const inserts = Effect.forEach(
      groups,
      (group) =>
        insert(
          group.columns,
          group.at.map((at) => rows[at]!)
        ),
      { discard: true }
    )
    return groups.length === 1 ? inserts : sql.withTransaction(inserts)
  }

  /** The column whose value does not fit, as far as the values alone tell. */
  const columnAtFault = Effect.fnUntraced(function* (row: Row, error: SqlError) {
    if (columnOf(error) !== "" || !stateOf(error).startsWith("22")) return columnOf(error)
    for (const [name, value] of Object.entries(row)) {
      const alone = sql.unsafe(`select ${identifier(name)} from ${sourceOf([name])}`, [
        JSON.stringify([{ [name]: value }])
      ])
      if (yield* Effect.match(alone, { onSuccess: () => false, onFailure: isUnfit })) return name
    }
    return ""
  })

  const write = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>, outcomes: Outcomes) {
    let explained = 0
    /** Divides the rows until those that do not fit are alone. */
    const writeFrom = (places: ReadonlyArray<number>): Effect.Effect<void, SqlError> =>
      insertAll(rows, places).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            for (const at of places) outcomes.set(at, undefined)
          })
        ),
        Effect.catchIf(isUnfit, (error) => {
          const [at = 0] = places
          if (places.length === 1) return refuse(at, error)
          const half = places.length >> 1
          return Effect.andThen(writeFrom(places.slice(0, half)), () => writeFrom(places.slice(half)))
        })
      )
    const refuse = Effect.fnUntraced(function* (at: number, error: SqlError) {
      const column = explained++ < maxExplained ? yield* columnAtFault(rows[at]!, error) : columnOf(error)
      outcomes.set(at, `${column === "" ? "" : `column ${column}: `}${reasonOf(error)}`)
    })
    const places = rows.map((_, at) => at).filter((at) => !outcomes.has(at))
    if (places.length > 0) yield* writeFrom(places)
  })

  return { columns, write }
})
