import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react"
import { Choice } from "../../parts/Choice.tsx"
import look from "../../parts/parts.module.css"
import { flattened, valueText } from "../../parts/values.ts"
import { tester as t } from "../../texts/en.ts"
import type { Draft, Expectation } from "./Draft.ts"
import { bySample, holds } from "./expectations.ts"
import { Sample } from "./Sample.tsx"
import type { Outcome, SampleResult } from "./Testing.ts"
import css from "./tester.module.css"

const rowHeight = 26
/** UTF-16 units of a sample or value in a row, and the maximum number of columns. */
const mostUnits = 600
const mostColumns = 40
/** Number of results from which the columns are derived. */
const looked = 2000

const views = ["lines", "fields"] as const
type View = (typeof views)[number]

/** Rows that a key moves by. */
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 }

const columnsOf = (results: ReadonlyArray<SampleResult>): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const { output } of results.slice(0, looked)) {
    for (const [name] of flattened(output)) names.add(name)
    if (names.size >= mostColumns) break
  }
  return [...names].slice(0, mostColumns)
}

const State = ({ result, isHeld }: { readonly result: SampleResult; readonly isHeld: boolean | undefined }) => {
  const isGood = result.matched && result.failure === undefined
  return (
    <span className={isGood ? css.good : css.bad}>
      <span aria-hidden="true">{isGood ? "✓" : "✗"}</span>
      <span className={look.hidden}>{isGood ? t.match : t.miss}</span>
      {isHeld === undefined ? null : (
        <span className={isHeld ? css.good : css.broken} title={isHeld ? t.holds : t.broken}>
          <span aria-hidden="true">{isHeld ? " ●" : " ⚑"}</span>
          <span className={look.hidden}>{isHeld ? t.holds : t.broken}</span>
        </span>
      )}
    </span>
  )
}

const Fields = ({
  result,
  columns,
  colours
}: {
  readonly result: SampleResult
  readonly columns: ReadonlyArray<string>
  readonly colours: ReadonlyMap<string, number>
}) => {
  const values = new Map(flattened(result.output))
  return columns.map((name, at) => (
    <span
      key={name}
      role="gridcell"
      aria-colindex={at + 3}
      className={`${css.value} ${values.has(name) && colours.has(name) ? css[`field${colours.get(name)}`] : ""}`}
    >
      {values.has(name) ? valueText(values.get(name)).slice(0, mostUnits) : ""}
    </span>
  ))
}

/** All results. Only the visible ones are rendered. */
export const Results = ({
  draft,
  outcome,
  colours,
  current,
  setCurrent,
  children
}: {
  readonly draft: Draft
  readonly outcome: Outcome | undefined
  readonly colours: ReadonlyMap<string, number>
  readonly current: number
  readonly setCurrent: (line: number) => void
  /** Shown beside the choice of the view. */
  readonly children: ReactNode
}) => {
  const [onlyMisses, setOnlyMisses] = useState(false)
  const [view, setView] = useState<View>("lines")
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useMemo(
    () => outcome?.results.filter(({ matched, failure }) => !onlyMisses || !matched || failure !== undefined) ?? [],
    [outcome, onlyMisses]
  )
  const columns = useMemo(() => (view === "fields" ? columnsOf(outcome?.results ?? []) : []), [outcome, view])
  const expected = useMemo(() => bySample(draft), [draft])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12
  })
  const at = useMemo(() => rows.findIndex(({ line }) => line === current), [rows, current])
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at)
  }, [at, virtual])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    const end = event.key === "Home" ? 0 : event.key === "End" ? rows.length - 1 : undefined
    if (step === undefined && end === undefined) return
    event.preventDefault()
    const row = rows[end ?? Math.max(0, Math.min(rows.length - 1, at + (step ?? 0)))]
    if (row !== undefined) setCurrent(row.line)
  }
  if (outcome === undefined) return <div key="none" className={css.results} />
  const names = view === "lines" ? [t.time, t.sample] : columns
  return (
    <div className={css.resultsArea}>
      <div className={css.buttons}>
        <Choice
          label={t.view}
          options={views.map((key) => ({ key, title: t.views[key] }))}
          chosen={view}
          choose={setView}
          size="small"
        />
        <label className={css.inline}>
          <input type="checkbox" checked={onlyMisses} onChange={({ target }) => setOnlyMisses(target.checked)} />
          {t.onlyMisses}
        </label>
        <span className={css.gap} />
        {children}
      </div>
      <div
        ref={scroller}
        className={css.results}
        role="grid"
        aria-label={t.results}
        aria-rowcount={rows.length + 1}
        aria-colcount={names.length + 2}
        aria-activedescendant={at >= 0 ? `row-${current}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div role="row" aria-rowindex={1} className={css.rowHead} tabIndex={-1}>
          <span role="columnheader" tabIndex={-1}>
            {t.line}
          </span>
          <span role="columnheader" tabIndex={-1}>
            <span className={look.hidden}>{t.state}</span>
          </span>
          {names.map((name) => (
            <span
              key={name}
              role="columnheader"
              tabIndex={-1}
              className={`${view === "fields" ? css.value : name === t.sample ? css.grow : css.micros} ${view === "fields" && colours.has(name) ? css[`field${colours.get(name)}`] : ""}`}
            >
              {name}
            </span>
          ))}
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const result = rows[index]!
            return (
              <Row
                key={result.line}
                result={result}
                index={index}
                start={start}
                isCurrent={result.line === current}
                expected={expected}
                onChoose={setCurrent}
              >
                {view === "fields" ? (
                  <Fields result={result} columns={columns} colours={colours} />
                ) : (
                  <>
                    <span role="gridcell" aria-colindex={3} className={css.micros}>
                      {result.micros === undefined ? "" : t.micros(result.micros)}
                    </span>
                    <span role="gridcell" aria-colindex={4} className={css.grow}>
                      <Sample result={result} colours={colours} most={mostUnits} />
                    </span>
                  </>
                )}
              </Row>
            )
          })}
        </div>
        {rows.length === 0 && onlyMisses && outcome.state === "done" ? <p className={css.noRows}>{t.noRows}</p> : null}
      </div>
    </div>
  )
}

const Row = ({
  result,
  index,
  start,
  isCurrent,
  expected,
  onChoose,
  children
}: {
  readonly result: SampleResult
  readonly index: number
  readonly start: number
  readonly isCurrent: boolean
  readonly expected: ReadonlyMap<string, Expectation>
  readonly onChoose: (line: number) => void
  readonly children: ReactNode
}) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys.
  <div
    id={`row-${result.line}`}
    role="row"
    tabIndex={-1}
    aria-rowindex={index + 2}
    aria-selected={isCurrent}
    className={`${css.row} ${isCurrent ? css.currentRow : ""}`}
    style={{ transform: `translateY(${start}px)` }}
    onClick={() => onChoose(result.line)}
  >
    <span role="gridcell" aria-colindex={1} className={css.number}>
      {result.line}
    </span>
    <span role="gridcell" aria-colindex={2} className={css.state}>
      <State result={result} isHeld={holds(expected, result)} />
    </span>
    {children}
  </div>
)
