import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, useMemo, useRef, useState } from "react"
import { Link } from "../app/Link.tsx"
import { go } from "../app/location.ts"
import { common } from "../texts/en.ts"
import css from "./pages.module.css"
import type { Column } from "./Table.tsx"
import tree from "./tree.module.css"
import { type Branch, branches, flatten, match, parentOf } from "./treeRows.ts"
import { visible } from "./values.ts"

const rowHeight = 30
/** Rows that the keys of pages go. */
const pageRows = 15
/** Trees of up to so many files are open at first. */
const openUpTo = 200

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: pageRows,
  PageUp: -pageRows,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY
}

/**
 * Files with paths as a tree of folders, any number of them: only the rows that are seen are in the page. The arrow keys
 * go from row to row, and open and close folders; Enter opens a file.
 */
export const Tree = <A,>({
  label,
  title,
  rows,
  pathOf,
  columns = [],
  to,
  current,
  query = ""
}: {
  readonly label: string
  /** The head of the column with the names. */
  readonly title: string
  readonly rows: ReadonlyArray<A>
  readonly pathOf: (row: A) => string
  /** Columns besides the names. */
  readonly columns?: ReadonlyArray<Column<A>>
  /** The address that a file leads to. */
  readonly to: (row: A) => string
  /** The path of the file that is open. */
  readonly current?: string | undefined
  /** Shows the files only whose paths hold this, whatever the case. */
  readonly query?: string
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [focused, setFocused] = useState<string>()
  const found = useMemo(() => match(rows, pathOf, query), [rows, pathOf, query])
  const root = useMemo(() => branches(found, pathOf), [found, pathOf])
  const isOpenAtFirst = query !== "" || found.length <= openUpTo
  const isOpen = (path: string) => toggled.get(path) ?? (isOpenAtFirst || current?.startsWith(`${path}/`) === true)
  const shown = flatten(root, isOpen)
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10
  })
  const toggle = (path: string, open: boolean) => setToggled((before) => new Map(before).set(path, open))
  const focus = (path: string) => {
    setFocused(path)
    const next = shown.findIndex((one) => one.path === path)
    if (next >= 0) virtual.scrollToIndex(next)
  }
  const at = shown.findIndex(({ path }) => path === (focused ?? current))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return
    const row = shown[at]
    const step = steps[event.key]
    if (event.key === "Enter" && row !== undefined) {
      if (row.leaf === undefined) toggle(row.path, !isOpen(row.path))
      else go(to(row.leaf))
    } else if (event.key === "ArrowRight" && row !== undefined && row.leaf === undefined) toggle(row.path, true)
    else if (event.key === "ArrowLeft" && row !== undefined) {
      if (row.leaf === undefined && isOpen(row.path)) toggle(row.path, false)
      else focus(parentOf(row.path) ?? row.path)
    } else if (step !== undefined && shown.length > 0) {
      focus(shown[Math.max(0, Math.min(shown.length - 1, at + step))]!.path)
    } else return
    event.preventDefault()
  }
  const tracks = ["minmax(180px, 3fr)", ...columns.map(({ width = "minmax(80px, 1fr)" }) => width)].join(" ")
  const idOf = (path: string) => `${label}-${path}`.replaceAll(/\s/g, "_")

  const nameOf = (row: Branch<A>) =>
    row.leaf === undefined ? (
      <button
        type="button"
        tabIndex={-1}
        className={tree.folder}
        onClick={() => {
          setFocused(row.path)
          toggle(row.path, !isOpen(row.path))
        }}
      >
        <span aria-hidden="true" className={tree.arrow}>
          {isOpen(row.path) ? "▾" : "▸"}
        </span>
        {visible(row.name)}
        <span className={css.dim}> {common.count(row.files)}</span>
      </button>
    ) : (
      <Link to={to(row.leaf)} className={tree.leaf} current={row.path === current}>
        {visible(row.name)}
      </Link>
    )

  return (
    <div
      ref={scroller}
      className={css.table}
      role="treegrid"
      aria-label={label}
      aria-rowcount={shown.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={at >= 0 ? idOf(shown[at]!.path) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="row" aria-rowindex={1} className={css.tableHead} style={{ gridTemplateColumns: tracks }} tabIndex={-1}>
        {[{ id: "name", title, align: undefined }, ...columns].map((column) => (
          <span
            key={column.id}
            role="columnheader"
            tabIndex={-1}
            className={column.align === "end" ? css.end : undefined}
          >
            {column.title}
          </span>
        ))}
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = shown[index]!
          const { leaf } = row
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys.
            <div
              key={row.path}
              id={idOf(row.path)}
              role="row"
              tabIndex={-1}
              aria-rowindex={index + 2}
              aria-level={row.level}
              aria-expanded={leaf === undefined ? isOpen(row.path) : undefined}
              aria-selected={row.path === current}
              className={`${css.tableRow} ${tree.row} ${css.opens} ${index === at ? css.focused : ""} ${row.path === current ? css.current : ""}`}
              style={{ gridTemplateColumns: tracks, transform: `translateY(${start}px)` }}
              onClick={({ target }) => {
                if (target instanceof Element && target.closest("a, button") !== null) return
                setFocused(row.path)
                if (leaf === undefined) toggle(row.path, !isOpen(row.path))
                else go(to(leaf))
              }}
            >
              <span role="gridcell" aria-colindex={1} style={{ paddingLeft: (row.level - 1) * 16 }}>
                {nameOf(row)}
              </span>
              {columns.map((column, place) => (
                <span
                  key={column.id}
                  role="gridcell"
                  aria-colindex={place + 2}
                  className={column.align === "end" ? css.end : undefined}
                >
                  {leaf === undefined ? null : column.cell(leaf)}
                </span>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}
