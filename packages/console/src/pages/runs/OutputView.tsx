import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react"
import { useQuery } from "../../app/location.ts"
import { Button } from "../../parts/Button.tsx"
import { copyAndSay } from "../../parts/copy.ts"
import { Problem } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { rowAfter } from "../../parts/rowKeys.ts"
import { visible, visibleLines } from "../../parts/values.ts"
import { common, runs as t } from "../../texts/en.ts"
import type { Line } from "./OutputLog.ts"
import css from "./runs.module.css"
import { useOutput } from "./useOutput.ts"
import { useSearch } from "./useSearch.ts"
import { useWindow } from "./useWindow.ts"

const rowHeight = 20
/** UTF-16 units of a line that its row shows. A selected line is shown below. */
const mostUnits = 1000
/** UTF-16 units of a selected line that are shown; the whole line can be copied. */
const mostShown = 100_000
const pageRows = 20

/** A text with its matches marked. */
const Marked = ({ text, wanted }: { readonly text: string; readonly wanted: string }) => {
  const shown = visible(text.slice(0, mostUnits))
  const parts: Array<{ readonly text: string; readonly isFound: boolean }> = []
  const lower = shown.toLowerCase()
  let at = 0
  // Lower case may change the length. Then nothing is marked, but the row still counts as a match.
  if (wanted !== "" && lower.length === shown.length) {
    for (let next = lower.indexOf(wanted); next !== -1; next = lower.indexOf(wanted, at)) {
      if (next > at) parts.push({ text: shown.slice(at, next), isFound: false })
      parts.push({ text: shown.slice(next, next + wanted.length), isFound: true })
      at = next + wanted.length
    }
  }
  parts.push({ text: shown.slice(at), isFound: false })
  return (
    <>
      {parts.map((part, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their places alone.
        part.isFound ? <mark key={index}>{part.text}</mark> : part.text
      )}
      {text.length > mostUnits ? "…" : ""}
    </>
  )
}

/** The live output of a run. The page keeps all lines and renders the visible ones. */
export const OutputView = ({ tenant, id }: { readonly tenant: string; readonly id: string }) => {
  const output = useOutput(tenant, id)
  const { log, version } = output
  const [search, setSearch] = useQuery("find")
  const [lineText, setLineText] = useQuery("line")
  const [onlyFound, setOnlyFound] = useState(false)
  const [hasTimes, setTimes] = useState(true)
  const found = useSearch(log, version, search)
  const isFiltered = onlyFound && found !== undefined
  const count = isFiltered ? found.matches.length : log.length
  const placeOf = (row: number) => (isFiltered ? (found.matches.at(row) ?? -1) : row)
  const rowOf = (place: number) => (isFiltered ? found.matches.from(place) : place)

  const scroller = useRef<HTMLDivElement>(null)
  const rows = useWindow(scroller, count, rowHeight)
  const chosen = /^\d+$/.test(lineText) ? Number(lineText) : undefined
  // A link to a line starts there; otherwise the view follows the end.
  const [isFollowing, setFollowing] = useState(chosen === undefined)
  const hasGone = useRef(chosen === undefined)

  const { scrollTo } = rows
  useLayoutEffect(() => {
    if (isFollowing) scrollTo(count - 1)
  }, [isFollowing, count, scrollTo])
  useEffect(() => {
    if (hasGone.current || chosen === undefined || log.last < chosen) return
    hasGone.current = true
    scrollTo(log.indexOf(chosen))
  }, [chosen, log, log.last, scrollTo])

  const choose = (row: number) => {
    const line = log.at(placeOf(row))
    if (line === undefined) return
    setFollowing(false)
    hasGone.current = true
    setLineText(String(line.seq))
    scrollTo(row)
  }
  const current = chosen === undefined || log.length === 0 ? -1 : rowOf(log.indexOf(chosen))
  const onKeyDown = (event: KeyboardEvent) => {
    const next = rowAfter(event.key, current < 0 ? rows.first : current, count, pageRows)
    if (next === undefined || event.target !== event.currentTarget) return
    event.preventDefault()
    choose(next)
  }
  const goTo = (way: 1 | -1) => {
    if (found === undefined || found.matches.length === 0) return
    const here = chosen === undefined ? -1 : log.indexOf(chosen)
    const after = found.matches.from(here + (way === 1 ? 1 : 0))
    const next = way === 1 ? (found.matches.at(after) ?? found.matches.at(0)) : (found.matches.at(after - 1) ?? -1)
    const place = next === -1 || next === undefined ? found.matches.at(found.matches.length - 1)! : next
    choose(rowOf(place))
  }
  const line = current >= 0 ? log.at(placeOf(current)) : undefined
  return (
    <section className={css.output} aria-label={t.output.title}>
      <div className={css.bar}>
        <Button className={look.button} aria-pressed={isFollowing} onPress={() => setFollowing(!isFollowing)}>
          {isFollowing ? t.output.following : t.output.paused}
        </Button>
        <form
          role="search"
          className={css.search}
          onSubmit={(event) => {
            event.preventDefault()
            goTo(1)
          }}
        >
          <input
            type="search"
            aria-label={t.output.find}
            placeholder={t.output.find}
            value={search}
            spellCheck={false}
            onChange={({ target }) => setSearch(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !event.shiftKey) return
              event.preventDefault()
              goTo(-1)
            }}
          />
          <span role="status" className={css.note}>
            {found === undefined ? "" : t.output.found(found.matches.length, found.looked < log.length)}
          </span>
          <Button className={look.button!} isDisabled={found === undefined} onPress={() => goTo(-1)}>
            {t.output.previous}
          </Button>
          <Button className={look.button!} isDisabled={found === undefined} onPress={() => goTo(1)}>
            {t.output.next}
          </Button>
          <label className={css.inline}>
            <input type="checkbox" checked={onlyFound} onChange={({ target }) => setOnlyFound(target.checked)} />
            {t.output.onlyFound}
          </label>
        </form>
        <label className={css.inline}>
          <input type="checkbox" checked={hasTimes} onChange={({ target }) => setTimes(target.checked)} />
          {t.output.times}
        </label>
        <span className={css.gap} />
        <Button
          className={look.button!}
          onPress={() => {
            setFollowing(false)
            scrollTo(0)
          }}
        >
          {t.output.begin}
        </Button>
        <Button
          className={look.button!}
          onPress={() => {
            setFollowing(true)
            scrollTo(count - 1)
          }}
        >
          {t.output.end}
        </Button>
      </div>
      <Problem error={output.error} again={output.again} />
      <div
        ref={scroller}
        className={css.lines}
        role="grid"
        aria-label={t.output.lines}
        aria-rowcount={count}
        aria-activedescendant={current >= rows.first && current < rows.end ? `line-${current}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onWheel={({ deltaY }) => {
          if (deltaY < 0) setFollowing(false)
        }}
        onPointerDown={(event) => {
          // For the scroll bar and touch.
          if (event.pointerType === "touch" || event.target === event.currentTarget) setFollowing(false)
        }}
      >
        <div role="rowgroup" className={css.linesHeight} style={{ height: rows.height }}>
          {Array.from({ length: rows.end - rows.first }, (_, at) => {
            const row = rows.first + at
            const one = log.at(placeOf(row))
            return one === undefined ? null : (
              <Row
                key={one.seq}
                line={one}
                row={row}
                top={rows.topOf(row)}
                isCurrent={row === current}
                hasTime={hasTimes}
                wanted={search.toLowerCase()}
                choose={choose}
              />
            )
          })}
        </div>
        {count === 0 ? (
          <p className={css.noLines}>
            {isFiltered ? t.output.noMatch : output.isComplete ? t.output.nothing : t.output.waiting}
          </p>
        ) : null}
      </div>
      <p role="status" className={css.note}>
        {t.output.state(log.length, output.isComplete)} {output.isTruncated ? t.output.truncated : ""}
      </p>
      {line === undefined ? null : <Chosen line={line} close={() => setLineText("")} />}
    </section>
  )
}

const Row = ({
  line: { seq, at, component, text },
  row,
  top,
  isCurrent,
  hasTime,
  wanted,
  choose
}: {
  readonly line: Line
  readonly row: number
  readonly top: number
  readonly isCurrent: boolean
  readonly hasTime: boolean
  readonly wanted: string
  readonly choose: (row: number) => void
}) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys.
  <div
    id={`line-${row}`}
    role="row"
    tabIndex={-1}
    aria-rowindex={row + 1}
    aria-selected={isCurrent}
    className={`${css.line} ${isCurrent ? css.currentLine : ""}`}
    style={{ transform: `translateY(${top}px)` }}
    onClick={() => choose(row)}
  >
    <span role="gridcell" className={css.seq}>
      {seq}
    </span>
    {hasTime ? (
      <span role="gridcell" className={css.when}>
        {t.clock(at)}
      </span>
    ) : null}
    <span role="gridcell" className={css.component} title={visible(component)}>
      {visible(component)}
    </span>
    <span role="gridcell" className={css.text}>
      <Marked text={text} wanted={wanted} />
    </span>
  </div>
)

/** The whole selected line. */
const Chosen = ({ line, close }: { readonly line: Line; readonly close: () => void }) => (
  <section className={css.chosen} aria-label={t.output.line(line.seq)}>
    <div className={css.bar}>
      <h2>{t.output.line(line.seq)}</h2>
      <span className={css.note}>
        {visible(line.component)} · {common.exact(line.at)}
      </span>
      <span className={css.gap} />
      <Button className={look.button!} onPress={() => void copyAndSay(line.text)}>
        {common.copy}
      </Button>
      <Button className={look.button!} onPress={close}>
        {common.close}
      </Button>
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
    <pre className={css.whole} tabIndex={0}>
      {visibleLines(line.text.slice(0, mostShown))}
    </pre>
  </section>
)
