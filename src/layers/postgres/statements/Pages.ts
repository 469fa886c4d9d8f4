import { Effect, Option, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import type { ListRow, ListSpan } from "../../../services/shared/reads/Listing.ts"
import type { LinePage, StoredLine } from "../../../services/shared/reads/OutputLines.ts"
import { isoTime } from "./SqlText.ts"

/** Maximum number of rows that one statement reads. */
const pageRows = 1000

/** Number of bytes after which a statement returns no further rows. The first row is returned whatever its size. */
export const pageBytes = 1024 * 1024

/** A row of a page. `over`: the rows before it fill the page, so it comes without its content. */
export interface PageRow {
  readonly over?: boolean
}

/**
 * The rows before `row` in the page, in bytes, for the condition that ends it. `octet_length` of a column reads the
 * size of a large value, not the value.
 */
export const bytesBefore = (sql: SqlClient.SqlClient, weight: Fragment, order: Fragment): Fragment =>
  sql`coalesce(sum(${weight}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`

/** The rows that come with their content. */
export const filled = <Row extends PageRow>(found: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const cut = found.findIndex(({ over }) => over === true)
  return cut === -1 ? found : found.slice(0, cut)
}

interface State {
  readonly after: string | undefined
  readonly left: number
}

/**
 * A list in its order, one statement for each page. No connection is held between two pages, so that a slow reader
 * costs none. Each page sees the rows as they are when it is read: rows added meanwhile appear if they come later in
 * the order, and none appears twice.
 *
 * @param read reads at most so many rows that come after a key
 */
const pages = <Row extends PageRow>(
  { after, limit }: ListSpan,
  read: (after: string | undefined, rows: number) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  keyOf: (row: Row) => string
): Stream.Stream<Row, StorageUnreachable> =>
  Stream.paginate({ after, left: limit ?? Number.POSITIVE_INFINITY }, ({ after, left }: State) => {
    const asked = Math.min(left, pageRows)
    return Effect.map(unreachable(read(after, asked)), (found) => {
      const rows = filled(found)
      const last = rows.at(-1)
      const isEnd = last === undefined || left <= rows.length || (rows.length === found.length && found.length < asked)
      const next: Option.Option<State> = isEnd
        ? Option.none()
        : Option.some({ after: keyOf(last), left: left - rows.length })
      return [rows, next] as const
    })
  })

/** {@link pages} of a list whose rows have their key. */
export const listPages = <Row extends ListRow & PageRow>(
  span: ListSpan,
  read: (after: string | undefined, rows: number) => Effect.Effect<ReadonlyArray<Row>, SqlError>
): Stream.Stream<Row, StorageUnreachable> => pages(span, read, ({ key }) => key)

/** An output line in a page. */
type LineRow = StoredLine & PageRow

/** Output lines in their order, from a table with a condition, as far as the page goes. */
export const selectLines = (sql: SqlClient.SqlClient, from: Fragment, { rows, bytes }: LinePage) => sql<LineRow>`
  select seq::float8 as seq, before >= ${bytes}::bigint as over,
    case when before >= ${bytes}::bigint then '' else text end as text,
    case when before >= ${bytes}::bigint then ''
      else '{"seq":' || seq || ',"timestamp":"' || ${isoTime(sql, "at")} || '","component":' || to_json(component)
      || ',"text":' || to_json(text) || '}' end as json
  from (
    select *, ${bytesBefore(sql, sql`octet_length(text)`, sql`seq`)} as before
    from (select seq, at, component, text from ${from} order by seq limit ${rows}::bigint) as found
  ) as page
  order by seq`

/** All lines after a sequence number, or so many of them. */
export const linePages = (
  after: number,
  limit: number | undefined,
  read: (after: number, page: LinePage) => Effect.Effect<ReadonlyArray<LineRow>, SqlError>
): Stream.Stream<StoredLine, StorageUnreachable> =>
  pages(
    { after: String(after), limit },
    (after, rows) => read(Number(after), { rows, bytes: pageBytes }),
    ({ seq }) => String(seq)
  )
