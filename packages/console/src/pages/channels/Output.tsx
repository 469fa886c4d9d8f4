import { useVirtualizer } from "@tanstack/react-virtual"
import { useCallback, useEffect, useId, useMemo, useRef, useState } from "react"
import { followEvents } from "../../app/events.ts"
import { Button } from "../../parts/Button.tsx"
import { copyAndSay } from "../../parts/copy.ts"
import { Problem } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { common, channels as t } from "../../texts/en.ts"
import { type Job, partsOf } from "./Channels.ts"
import css from "./channels.module.css"

interface Line {
  readonly seq: number
  readonly timestamp: string
  readonly component: string
  readonly text: string
}

/** Lines that the page keeps. The gateway keeps the last 1000. */
const most = 5000
const rowHeight = 20

const lineOf = (data: string): Line | undefined => {
  try {
    return JSON.parse(data) as Line
  } catch {
    return undefined
  }
}

/** The live output of a job. */
export const Output = ({
  tenant,
  channel,
  job
}: {
  readonly tenant: string
  readonly channel: string
  readonly job: Job
}) => {
  const id = useId()
  const [lines, setLines] = useState<ReadonlyArray<Line>>([])
  const [error, setError] = useState<unknown>()
  const [isFollowing, setFollowing] = useState(true)
  const [filter, setFilter] = useState("")
  const [round, setRound] = useState(0)
  const { cluster, job: name } = partsOf(job)
  const waiting = useRef<Array<Line>>([])
  const isPaused = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round begins the stream anew.
  useEffect(() => {
    setLines([])
    setError(undefined)
    waiting.current = []
    const path = ["v1", tenant, "channels", channel, "jobs", cluster, name, "output"].map(encodeURIComponent).join("/")
    return followEvents(
      path,
      [],
      (events) => {
        const found = events.flatMap(({ data }) => lineOf(data) ?? [])
        if (isPaused.current) waiting.current = [...waiting.current, ...found].slice(-most)
        else setLines((before) => [...before, ...found].slice(-most))
      },
      setError
    )
  }, [tenant, channel, cluster, name, round])

  const shown = useMemo(() => {
    const wanted = filter.toLowerCase()
    return wanted === "" ? lines : lines.filter(({ text }) => text.toLowerCase().includes(wanted))
  }, [lines, filter])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20
  })
  useEffect(() => {
    if (isFollowing && shown.length > 0) virtual.scrollToIndex(shown.length - 1, { align: "end" })
  }, [shown, isFollowing, virtual])

  const follow = useCallback((value: boolean) => {
    isPaused.current = !value
    setFollowing(value)
    if (!value) return
    const missed = waiting.current
    waiting.current = []
    if (missed.length > 0) setLines((before) => [...before, ...missed].slice(-most))
  }, [])

  return (
    <section aria-labelledby={id} className={css.part}>
      <div className={css.outputHead}>
        <h3 id={id}>{t.output}</h3>
        <span className={shared.dim}>{t.lines(shown.length)}</span>
        <input
          className={`${shared.input} ${css.filter}`}
          aria-label={t.filter}
          placeholder={t.filter}
          value={filter}
          spellCheck={false}
          onChange={({ target }) => setFilter(target.value)}
        />
        <Button className={look.button!} onPress={() => follow(!isFollowing)}>
          {isFollowing ? t.pause : t.goOn}
        </Button>
        <Button className={look.button!} onPress={() => void copyAndSay(shown.map(({ text }) => text).join("\n"))}>
          {common.copy}
        </Button>
      </div>
      <Problem error={error} again={() => setRound((count) => count + 1)} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <div ref={scroller} className={css.output} role="log" aria-live="off" aria-labelledby={id} tabIndex={0}>
        {lines.length === 0 ? <p className={css.none}>{t.noOutput}</p> : null}
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const { seq, timestamp, component, text } = shown[index]!
            return (
              <div key={seq} className={css.line} style={{ transform: `translateY(${start}px)` }}>
                <time dateTime={timestamp}>{t.clock(Date.parse(timestamp))}</time>
                <span className={css.component}>{component}</span>
                <span>{text}</span>
              </div>
            )
          })}
        </div>
      </div>
    </section>
  )
}
