import { useMemo, useState } from "react"
import { common, preview as t } from "../../texts/en.ts"
import { Button } from "../Button.tsx"
import { Code } from "../Code.tsx"
import { Problem } from "../Problem.tsx"
import look from "../parts.module.css"
import { type Column, Table } from "../Table.tsx"
import { valueText, visible, visibleLines } from "../values.ts"
import type { PreviewedFile } from "./file.ts"
import css from "./preview.module.css"
import type { Row } from "./rows.ts"
import { firstRows, mostRows, useRows } from "./useRows.ts"

const mostColumns = 100
const cellUnits = 300
const shownUnits = 200_000

/** Column names: those that the file declares, and those of rows in the order of their appearance. */
const namesOf = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const names = new Set(columns)
  for (const { cells } of rows) {
    for (const name of cells.keys()) names.add(name)
    if (names.size > mostColumns) break
  }
  return [...names].slice(0, mostColumns)
}

const cellText = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  return valueText(typeof value === "string" ? value.slice(0, cellUnits) : value).slice(0, cellUnits)
}

const asNumber = (value: unknown): string | number | undefined => {
  if (value === undefined || value === null || value === "") return undefined
  if (typeof value === "number") return value
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The rows of csv, ndjson and Parquet files, or lines. Only what the reader scrolls to is loaded. */
export const RowsTable = ({ file }: { readonly file: PreviewedFile }) => {
  const { rows, columns: named, isEnd, isLong, total, error, more, again } = useRows(file)
  const [number, setNumber] = useState<number>()
  // The columns stay when more rows arrive: those of the first rows form the head of the table.
  const key = JSON.stringify(namesOf(named, rows.slice(0, firstRows)))
  const columns = useMemo((): ReadonlyArray<Column<Row>> => {
    const names: ReadonlyArray<string> = JSON.parse(key)
    const first: Column<Row> = {
      id: "\nnumber",
      title: t.row,
      cell: (row) => <span className={css.number}>{common.count(row.number)}</span>,
      width: "84px",
      align: "end"
    }
    if (names.length === 0) {
      const text: Column<Row> = {
        id: "\ntext",
        title: t.text,
        cell: ({ text = "" }) => <code>{visible(text.slice(0, 4 * cellUnits))}</code>,
        width: "minmax(300px, 1fr)"
      }
      return [first, text]
    }
    return [
      first,
      ...names.map((name): Column<Row> => {
        const width = names.length > 6 ? "170px" : "minmax(110px, 1fr)"
        const value = ({ cells }: Row) => asNumber(cells.get(name))
        const cell = ({ cells, text }: Row) =>
          cells.size === 0 && name === names[0] ? visible((text ?? "").slice(0, cellUnits)) : cellText(cells.get(name))
        return { id: name, title: visible(name), value, cell, width }
      })
    ]
  }, [key])
  const chosen = number === undefined ? undefined : rows[number - 1]
  const say = () => {
    if (isEnd) return rows.length === 0 ? t.noRows : t.all(rows.length)
    if (rows.length >= mostRows) return t.most(rows.length)
    if (rows.length === 0) return error === undefined ? common.loading : ""
    return isLong ? t.long(rows.length) : t.first(rows.length, total)
  }
  return (
    <>
      {error === undefined ? null : <Failure error={error} again={again} />}
      {rows.length === 0 && named.length === 0 ? null : (
        <Table
          label={t.rows(visible(file.name))}
          columns={columns}
          rows={rows}
          keyOf={(row) => String(row.number)}
          current={number === undefined ? undefined : String(number)}
          onOpen={(row) => setNumber(row.number)}
          end={isLong ? undefined : more}
        />
      )}
      <p role="status" className={css.note}>
        {say()}
      </p>
      {isLong && !isEnd && rows.length > 0 ? (
        <div>
          <Button className={look.button!} onPress={more}>
            {common.more}
          </Button>
        </div>
      ) : null}
      {chosen === undefined ? null : <Chosen row={chosen} />}
    </>
  )
}

/** A whole row. */
const Chosen = ({ row: { number, cells, text } }: { readonly row: Row }) => (
  <section className={css.chosen} aria-label={t.chosen(number)}>
    <h3>{t.chosen(number)}</h3>
    {cells.size === 0 ? (
      <Code className={css.whole}>{visibleLines((text ?? "").slice(0, shownUnits))}</Code>
    ) : (
      <dl className={css.cells}>
        {[...cells].slice(0, 1000).map(([name, value]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{value === undefined || value === null ? "" : valueText(value).slice(0, shownUnits)}</dd>
          </div>
        ))}
      </dl>
    )}
  </section>
)

/** Why a file cannot be shown. */
const Failure = ({ error, again }: { readonly error: unknown; readonly again: () => void }) => {
  const { codec } = Object(error) as { readonly codec?: unknown }
  if (typeof codec === "string") return <p className={css.cannot}>{t.codec(visible(codec))}</p>
  return <Problem error={error} again={again} />
}
