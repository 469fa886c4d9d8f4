import "uplot/dist/uPlot.min.css"
import { type KeyboardEvent, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react"
import uPlot from "uplot"
import { useTheme } from "../app/theme.ts"
import { common } from "../texts/en.ts"
import css from "./pages.module.css"
import { plotSpan } from "./plotSpan.ts"

export interface PlotSeries {
  readonly label: string
  /** A colour variable of the theme, such as `--accent`. */
  readonly colour: string
  readonly kind: "line" | "bars"
  /** Formats a value: "1.2 MiB". */
  readonly say: (value: number) => string
}

const scheme = matchMedia("(prefers-color-scheme: dark)")
const subscribe = (listener: () => void) => {
  scheme.addEventListener("change", listener)
  return () => scheme.removeEventListener("change", listener)
}

/** The present value of a theme colour: a canvas does not resolve variables. */
const colourOf = (host: HTMLElement, name: string): string => {
  host.style.color = `var(${name})`
  const { color } = getComputedStyle(host)
  host.style.color = ""
  return color
}

/**
 * Values over time, on a canvas. The arrow keys move between values, and screen readers announce each. With `onSelect`,
 * a range is selected by dragging, or by Shift and the arrow keys, then Enter.
 *
 * @param times ascending epoch milliseconds, each the start of a bar
 * @param values of each series at these times; null for a missing value
 */
const Plot = ({
  label,
  times,
  values,
  series,
  height,
  width = 0,
  onSelect
}: {
  readonly label: string
  readonly times: ReadonlyArray<number>
  readonly values: ReadonlyArray<ReadonlyArray<number | null>>
  readonly series: ReadonlyArray<PlotSeries>
  readonly height: number
  /** Milliseconds per bar. */
  readonly width?: number
  readonly onSelect?: ((from: number, to: number) => void) | undefined
}) => {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [theme] = useTheme()
  const isDark = useSyncExternalStore(subscribe, () => scheme.matches)
  const [at, setAt] = useState<number>()
  /** The start of a range that is selected by keys. */
  const [anchor, setAnchor] = useState<number>()
  const select = useRef(onSelect)
  select.current = onSelect
  const shape = series.map(({ label: name, colour, kind }) => `${name} ${colour} ${kind}`).join("\n")
  const made = useRef(series)
  made.current = series
  const data = useMemo(
    () => [times.map((time) => time / 1000), ...values.map((one) => [...one])] as uPlot.AlignedData,
    [times, values]
  )
  const shown = useRef(data)
  shown.current = data
  const covered = useRef(width)
  covered.current = width

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the theme, and `shape` is what is drawn.
  useEffect(() => {
    const element = host.current!
    const [ink, line] = [colourOf(element, "--dim"), colourOf(element, "--line")]
    const axis = {
      stroke: ink,
      font: "11px system-ui",
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1 }
    }
    const say = (value: number) => made.current[0]?.say(value) ?? String(value)
    const u = new uPlot(
      {
        width: Math.max(100, element.clientWidth),
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: select.current !== undefined, y: false, setScale: false } },
        scales: {
          x: { range: ({ data: [shownTimes] }) => plotSpan(shownTimes, covered.current / 1000) },
          y: { range: (_, __, max) => [0, Math.max(max * 1.05, 1)] }
        },
        axes: [
          { ...axis, space: 70 },
          { ...axis, size: 64, values: (_, splits) => splits.map((value) => say(value)) }
        ],
        series: [
          {},
          ...made.current.map(({ label: name, colour, kind }) => {
            const stroke = colourOf(element, colour)
            return kind === "bars"
              ? {
                  label: name,
                  stroke,
                  fill: stroke,
                  points: { show: false },
                  paths: uPlot.paths.bars!({ size: [0.9, 60], align: 1 })
                }
              : { label: name, stroke, width: 1.5, points: { show: false }, spanGaps: false }
          })
        ],
        hooks: {
          setCursor: [({ cursor: { idx } }) => setAt(idx ?? undefined)],
          setSelect: [
            ({ select: { left, width: drawn } }) => {
              if (drawn < 3) return
              const [from, to] = [u.posToVal(left, "x"), u.posToVal(left + drawn, "x")]
              u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
              select.current?.(Math.round(from * 1000), Math.round(to * 1000))
            }
          ]
        }
      },
      shown.current,
      element
    )
    plot.current = u
    const sizes = new ResizeObserver(() => u.setSize({ width: Math.max(100, element.clientWidth), height }))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      u.destroy()
      plot.current = undefined
    }
  }, [shape, height, theme, isDark])

  useEffect(() => {
    plot.current?.setData(data)
  }, [data])

  const mark = (from: number, to: number) => {
    const u = plot.current
    if (u === undefined) return
    const [first, last] = [Math.min(from, to), Math.max(from, to)]
    const left = u.valToPos(times[first]! / 1000, "x")
    const right = u.valToPos((times[last]! + width) / 1000, "x")
    u.setSelect({ left, top: 0, width: right - left, height: u.over.clientHeight }, false)
  }
  const unmark = () => {
    setAnchor(undefined)
    plot.current?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (times.length === 0) return
    const current = at ?? times.length - 1
    if (event.key === "Enter" && onSelect !== undefined) {
      const [from, to] = [Math.min(anchor ?? current, current), Math.max(anchor ?? current, current)]
      onSelect(times[from]!, times[to]! + width)
      unmark()
    } else if (event.key === "Escape") unmark()
    else {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -times.length, End: times.length }[
        event.key
      ]
      if (step === undefined) return
      const next = Math.max(0, Math.min(times.length - 1, at === undefined ? current : current + step))
      plot.current?.setCursor({ left: plot.current.valToPos(times[next]! / 1000 + width / 2000, "x"), top: 10 }, false)
      setAt(next)
      if (event.shiftKey && onSelect !== undefined) {
        setAnchor(anchor ?? current)
        mark(anchor ?? current, next)
      } else unmark()
    }
    event.preventDefault()
  }
  const said =
    at === undefined || times[at] === undefined
      ? common.plotHelp
      : [
          width === 0 ? common.moment(times[at]) : common.span(times[at], times[at] + width),
          ...series.flatMap(({ label: name, say }, one) => {
            const value = values[one]?.[at]
            return value === undefined || value === null ? [] : [`${name} ${say(value)}`]
          })
        ].join(" · ")
  return (
    <div className={css.plot}>
      <div
        ref={host}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={said}
        className={css.plotHost}
        style={{ height }}
        onKeyDown={onKeyDown}
      />
      <div className={css.plotSaid} aria-hidden="true">
        {series.map(({ label: name, colour }) => (
          <span key={name}>
            <i className={css.plotKey} style={{ background: `var(${colour})` }} /> {name}
          </span>
        ))}
        <span className={css.dim}>{said}</span>
      </div>
    </div>
  )
}

export default Plot
