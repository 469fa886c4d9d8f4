import {
  createSortedRowModel,
  type Row,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
  useTable
} from "@tanstack/react-table"
import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useKeys } from "../app/keys.ts"
import { Link } from "../app/Link.tsx"
import { go } from "../app/location.ts"
import { common } from "../texts/en.ts"
import { showCutCell } from "./cutCells.ts"
import css from "./pages.module.css"
import { rowAfter } from "./rowKeys.ts"
import { usePlace } from "./usePlace.ts"

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic }
})

export interface Column<A> {
  readonly id: string
  readonly title: string
  /** The sort key of a row. A column without it is not sortable. */
  readonly value?: (row: A) => string | number | undefined
  readonly cell: (row: A) => ReactNode
  /** A track size of a CSS grid: `minmax(120px, 2fr)`. */
  readonly width?: string
  readonly align?: "end"
}

export interface Order {
  readonly id: string
  readonly desc: boolean
}

const rowHeight = 34
/** Rows that Page Up and Page Down move by. */
const pageRows = 15

interface RowProps<A> {
  readonly id: string
  readonly domId: string
  readonly row: A
  readonly index: number
  readonly start: number
  readonly columns: ReadonlyArray<Column<A>>
  readonly tracks: string
  readonly address: string | undefined
  readonly isOpening: boolean
  readonly isFocused: boolean
  readonly isCurrent: boolean
  readonly choose: (id: string, row: A) => void
}

const OneRow = <A,>({
  id,
  domId,
  row,
  index,
  start,
  columns,
  tracks,
  address,
  isOpening,
  isFocused,
  isCurrent,
  choose
}: RowProps<A>) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys.
  <div
    id={domId}
    role="row"
    tabIndex={-1}
    aria-rowindex={index + 2}
    aria-selected={isCurrent}
    className={`${css.tableRow} ${isOpening ? css.opens : ""} ${isFocused ? css.focused : ""} ${isCurrent ? css.current : ""}`}
    style={{ gridTemplateColumns: tracks, transform: `translateY(${start}px)` }}
    onClick={({ target }) => {
      if (target instanceof Element && target.closest("a, button, input, select") !== null) return
      choose(id, row)
    }}
  >
    {columns.map((column, place) => (
      <span
        key={column.id}
        role="gridcell"
        aria-colindex={place + 1}
        className={column.align === "end" ? css.end : undefined}
      >
        {place === 0 && address !== undefined ? <Link to={address}>{column.cell(row)}</Link> : column.cell(row)}
      </span>
    ))}
  </div>
)

/** A row that is rendered once, and not again with each scroll event. */
const TableRow = memo(OneRow) as typeof OneRow

/**
 * A table of any number of rows; only the visible ones are rendered. The head sorts. The arrow keys move between rows,
 * and Enter opens one. Scrolling renders only new rows, so `columns` must be a constant.
 */
export const Table = <A,>({
  label,
  columns,
  rows,
  keyOf,
  to,
  onOpen,
  current,
  sort,
  order,
  onOrder,
  height = "auto",
  end
}: {
  readonly label: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  readonly keyOf: (row: A) => string
  /** The address of a row; its first cell becomes a link. */
  readonly to?: ((row: A) => string) | undefined
  /** Opens a row in place. */
  readonly onOpen?: ((row: A) => void) | undefined
  /** The key of the open row. */
  readonly current?: string | undefined
  /** The initial order. */
  readonly sort?: Order
  /** The present order, if the rows arrive sorted. */
  readonly order?: Order | undefined
  /** Requests rows in another order. Without it the table sorts the rows itself. */
  readonly onOrder?: ((order: Order) => void) | undefined
  /** `auto`: as high as its rows, up to most of the window; `fill`: the remaining height. */
  readonly height?: "auto" | "fill"
  /** Called near the end of the rows, to load the next page. */
  readonly end?: (() => void) | undefined
}) => {
  useKeys(common.tableKeys)
  const scroller = useRef<HTMLDivElement>(null)
  const { kept, keep } = usePlace<{ readonly sorting: Array<Order>; readonly focused: string | undefined }>(
    label,
    scroller,
    rows.length
  )
  const [sorting, setSorting] = useState(kept?.sorting ?? (sort === undefined ? [] : [sort]))
  const [focused, setFocused] = useState(kept?.focused)
  keep({ sorting, focused })
  const defined = useMemo(
    () =>
      columns.map(({ id, value }) => ({
        id,
        accessorFn: (row: A) => value?.(row),
        enableSorting: value !== undefined,
        sortFn: "alphanumeric" as const,
        sortUndefined: "last" as const
      })),
    [columns]
  )
  const data = rows as Array<A & object>
  const table = useTable({
    features,
    columns: defined,
    data,
    getRowId: keyOf,
    manualSorting: onOrder !== undefined,
    state: { sorting },
    onSortingChange: setSorting
  })
  const ordered = onOrder === undefined ? sorting[0] : order
  const sortBy = (next: Order) => (onOrder === undefined ? setSorting([next]) : onOrder(next))
  const sorted: ReadonlyArray<Row<typeof features, A & object>> = table.getRowModel().rows
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index
  const atEnd = useRef(end)
  atEnd.current = end
  useEffect(() => {
    if (last !== undefined && last >= sorted.length - 1) atEnd.current?.()
  }, [last, sorted.length])

  const at = sorted.findIndex(({ id }) => id === (focused ?? current))
  const open = (row: A) => {
    if (to !== undefined) go(to(row))
    else onOpen?.(row)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    if (event.key === "Enter" && at >= 0) {
      event.preventDefault()
      open(sorted[at]!.original)
      return
    }
    const next = rowAfter(event.key, at, sorted.length, pageRows)
    if (next === undefined) return
    event.preventDefault()
    setFocused(sorted[next]!.id)
    virtual.scrollToIndex(next)
  }
  const opening = useRef(open)
  opening.current = open
  const choose = useCallback((id: string, row: A) => {
    setFocused(id)
    opening.current(row)
  }, [])
  const tracks = columns.map(({ width = "minmax(90px, 1fr)" }) => width).join(" ")
  const idOf = (key: string) => `${label}-${key}`
  const opens = to !== undefined || onOpen !== undefined
  return (
    <div
      ref={scroller}
      className={`${css.table} ${height === "fill" ? css.fill : ""}`}
      role="grid"
      aria-label={label}
      aria-rowcount={sorted.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={at >= 0 ? idOf(sorted[at]!.id) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerOver={showCutCell}
    >
      <div role="row" aria-rowindex={1} className={css.tableHead} style={{ gridTemplateColumns: tracks }} tabIndex={-1}>
        {columns.map(({ id, title, value, align }) => {
          const isDesc = ordered?.id === id ? ordered.desc : undefined
          return (
            <span
              key={id}
              role="columnheader"
              tabIndex={-1}
              aria-sort={isDesc === undefined ? undefined : isDesc ? "descending" : "ascending"}
              className={align === "end" ? css.end : undefined}
            >
              {value === undefined ? (
                title
              ) : (
                <button
                  type="button"
                  className={css.sort}
                  title={common.sortBy(title)}
                  onClick={() => sortBy({ id, desc: isDesc === false })}
                >
                  {title}
                  <span aria-hidden="true">{isDesc === undefined ? "" : isDesc ? " ↓" : " ↑"}</span>
                </button>
              )}
            </span>
          )
        })}
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {items.map(({ index, start }) => {
          const { id, original } = sorted[index]!
          return (
            <TableRow
              key={id}
              id={id}
              domId={idOf(id)}
              row={original}
              index={index}
              start={start}
              columns={columns as ReadonlyArray<Column<A & object>>}
              tracks={tracks}
              address={to?.(original)}
              isOpening={opens}
              isFocused={index === at}
              isCurrent={id === current}
              choose={choose}
            />
          )
        })}
      </div>
    </div>
  )
}
