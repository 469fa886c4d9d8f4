import { type FormEvent, useEffect, useState } from "react"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { search as t } from "../../texts/en.ts"
import type { Change, State } from "./State.ts"
import css from "./search.module.css"
import { localText, momentOf, type Span } from "./Times.ts"

const presets = ["", "now-15m", "now-1h", "now-24h", "now-7d", "now-30d"] as const
const own = "own"

const isPreset = (from: string, to: string): boolean => to === "" && presets.some((one) => one === from)

/** The time range in the reader's zone: relative to now, or between two times. */
export const RangePicker = ({
  state: { from, to },
  change,
  zone,
  span
}: {
  readonly state: State
  readonly change: Change
  readonly zone: string
  readonly span: Span | undefined
}) => {
  const [isOwn, setOwn] = useState(!isPreset(from, to))
  const [begin, setBegin] = useState("")
  const [end, setEnd] = useState("")
  useEffect(() => {
    setOwn(!isPreset(from, to))
    const now = Date.now()
    const [first, last] = [momentOf(from, now) ?? span?.from, momentOf(to, now) ?? span?.to]
    setBegin(first === undefined ? "" : localText(first))
    setEnd(last === undefined ? "" : localText(last))
  }, [from, to, span])
  const choose = (value: string) => {
    if (value === own) setOwn(true)
    else change({ from: value, to: "", doc: "" })
  }
  const isoOf = (text: string) => (text === "" ? "" : new Date(text).toISOString())
  const isTurned = begin !== "" && end !== "" && new Date(begin) >= new Date(end)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isTurned) change({ from: isoOf(begin), to: isoOf(end), doc: "" })
  }
  const input = (label: string, value: string, set: (value: string) => void) => (
    <input
      type="datetime-local"
      step="1"
      className={shared.input}
      aria-label={label}
      value={value}
      onChange={({ target }) => set(target.value)}
    />
  )
  return (
    <form className={css.range} onSubmit={submit}>
      <select
        className={shared.input}
        aria-label={t.range}
        value={isOwn ? own : from}
        onChange={({ target }) => choose(target.value)}
      >
        {presets.map((preset) => (
          <option key={preset} value={preset}>
            {t.presets[preset]}
          </option>
        ))}
        <option value={own}>{t.ownRange}</option>
      </select>
      {isOwn ? (
        <>
          {input(t.from, begin, setBegin)}
          <span aria-hidden="true">–</span>
          {input(t.to, end, setEnd)}
          <button type="submit" className={look.button} disabled={isTurned}>
            {t.setRange}
          </button>
          <span className={shared.dim} role="status">
            {isTurned ? t.turned : zone}
          </span>
        </>
      ) : null}
    </form>
  )
}
