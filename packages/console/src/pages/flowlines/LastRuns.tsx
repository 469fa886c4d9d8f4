import { useEffect, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { addressOf } from "../../app/location.ts"
import { common, flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import { type Execution, runQuery } from "./model.ts"

const t = flowlines.list

/** Number of runs shown, each as a bar. */
export const mostBars = 20
const width = 6
const height = 22

/** Whether a run is as its writer wants it, in the colours of the page. */
export const toneOf = ({
  state,
  outcome
}: Pick<Execution, "state" | "outcome">): "good" | "bad" | "warn" | "busy" | "plain" => {
  switch (state) {
    case "SUCCEEDED":
      return outcome === "warnings" || outcome === "nothing" ? "warn" : "good"
    case "FAILED":
    case "LOST":
      return "bad"
    case "CANCELLED":
      return "plain"
    default:
      return "busy"
  }
}

/** Running requests. A table may have thousands of flowlines, so only visible ones are requested, a few at a time. */
const places = { free: 4, waiting: [] as Array<() => void> }

const inTurn = async <A,>(ask: () => Promise<A>): Promise<A> => {
  if (places.free > 0) places.free--
  else await new Promise<void>((go) => places.waiting.push(go))
  try {
    return await ask()
  } finally {
    const next = places.waiting.shift()
    if (next === undefined) places.free++
    else next()
  }
}

/** Cached last runs of flowlines, so that a row that scrolls back into view has them at once. */
const known = new Map<string, ReadonlyArray<Execution>>()

const keyOf = (tenant: string, id: string): string => `${tenant}\n${id}`

const knownRuns = (tenant: string, id: string): ReadonlyArray<Execution> => known.get(keyOf(tenant, id)) ?? []

/**
 * The last runs of a flowline as bars: the height shows the duration, the colour the outcome. Links to the list of all
 * runs.
 */
export const LastRuns = ({
  tenant,
  id,
  name
}: {
  readonly tenant: string
  readonly id: string
  readonly name: string
}) => {
  const { value } = useAnswer(
    (signal) =>
      inTurn(async () => {
        signal.throwIfAborted()
        return gateway.executions.listOf(
          { params: { tenant, id }, query: { order: "newest", limit: mostBars } },
          { signal }
        )
      }),
    [tenant, id],
    (last) => (last?.some((run) => toneOf(run) === "busy") ? 2_000 : 15_000)
  )
  const [before] = useState(() => knownRuns(tenant, id))
  useEffect(() => {
    if (value !== undefined) known.set(keyOf(tenant, id), value)
  }, [tenant, id, value])
  const runs = (value ?? before).toReversed()
  if (runs.length === 0) return <span className={own.noRuns}>{value === undefined ? "" : t.noRuns}</span>
  const longest = Math.max(1, ...runs.map(({ duration }) => duration))
  const last = runs.at(-1)!
  const failed = runs.filter((run) => toneOf(run) === "bad").length
  return (
    <Link to={addressOf(["runs"], runQuery(id))} className={own.spark}>
      <svg
        role="img"
        aria-label={t.runs(name, runs.length, failed, t.states[last.state], common.duration(last.duration))}
        width={mostBars * width}
        height={height}
      >
        {runs.map((run, at) => {
          const size = Math.max(3, Math.round((height - 2) * Math.sqrt(run.duration / longest)))
          return (
            <rect
              key={run.id}
              className={own[toneOf(run)]}
              x={(mostBars - runs.length + at) * width}
              y={height - size}
              width={width - 1.5}
              height={size}
              rx={1}
            >
              <title>
                {t.run(t.states[run.state], common.duration(run.duration), common.moment(Date.parse(run.createdAt)))}
              </title>
            </rect>
          )
        })}
      </svg>
    </Link>
  )
}
