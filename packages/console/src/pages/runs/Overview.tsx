import { useMemo, useState } from "react"
import { Dag } from "../../parts/dag/Dag.tsx"
import { type Graph, graphOfFlowline } from "../../parts/dag/Graph.ts"
import { Badge } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { Time } from "../../parts/Time.tsx"
import { visible } from "../../parts/values.ts"
import { common, runs as t } from "../../texts/en.ts"
import { type Detail, hasEnded, type NodeCount } from "./models.ts"
import { backlogOf, rateOf, type Sample, sentOn } from "./Rates.ts"
import css from "./runs.module.css"

/** Pads a text to at least this length, so that the picture does not move when a number grows. */
const padded = (text: string, length: number): string => text.padStart(length, "\u2007")

const backlogText = (node: NodeCount): string => {
  const backlog = backlogOf(node)
  if (backlog === undefined) return t.node.noBacklog
  const { kind, value } = backlog
  return kind === "bytes" ? t.node.lag(common.bytes(value)) : t.node[kind](value)
}

/** The graph of the run: each edge with its rate, or with its count when the run is over. */
const measured = (graph: Graph, run: Detail, samples: ReadonlyArray<Sample>): Graph => {
  const counts = new Map(run.nodes.map((node) => [node.component, node]))
  const receives = new Set(graph.edges.map(({ to }) => to))
  const sends = new Set(graph.edges.map(({ from }) => from))
  const isOver = hasEnded(run.state)
  const nodes = graph.nodes.map((node) => {
    const count = counts.get(node.id)
    const { recordsIn = 0, recordsOut = 0, errors = 0, warning } = count ?? {}
    const tone = errors > 0 ? ("bad" as const) : isOver ? ("plain" as const) : ("busy" as const)
    return {
      ...node,
      tone: warning !== undefined && tone !== "bad" ? ("warn" as const) : tone,
      facts: [
        ...(receives.has(node.id) ? [t.node.in(recordsIn)] : []),
        ...(sends.has(node.id) ? [t.node.out(recordsOut)] : []),
        ...(isOver ? [] : [count === undefined ? t.node.noBacklog : backlogText(count)])
      ],
      problem: errors > 0 ? t.node.rejected(errors) : undefined
    }
  })
  const edges = graph.edges.map((edge) => {
    const { from, label: stream = "" } = edge
    const count = (node: NodeCount | undefined) => sentOn(node, stream)
    const rate = isOver ? undefined : rateOf(samples, from, count)
    const text = rate === undefined ? t.node.records(count(counts.get(from))) : t.node.rate(rate)
    const end = ` ${padded(text, 11)}`
    return { ...edge, label: visible(stream) + end, count: end }
  })
  return { nodes, edges }
}

/** The counters of a node with their meaning. */
const NodeFacts = ({ node }: { readonly node: NodeCount }) => {
  const facts: ReadonlyArray<readonly [string, string | undefined]> = [
    [t.columns.in, common.count(node.recordsIn)],
    [t.columns.out, common.count(node.recordsOut)],
    ...Object.entries(node.streams ?? {}).map(
      ([stream, count]) => [t.node.stream(visible(stream)), common.count(count)] as const
    ),
    [t.columns.rejected, common.count(node.errors)],
    [t.node.backlog, backlogText(node)],
    ...(["files", "matched", "unmatched", "dropped", "reloads", "failedReloads"] as const).map(
      (name) => [t.node[name], node[name] === undefined ? undefined : common.count(node[name])] as const
    ),
    [t.node.replaced, node.replacedBytes === undefined ? undefined : common.bytes(node.replacedBytes)],
    [t.node.lastError, node.lastError],
    [t.node.warning, node.warning]
  ]
  return (
    <dl className={css.definitions}>
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{visible(value)}</dd>
          </div>
        )
      )}
    </dl>
  )
}

const entriesOf = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([name, value]) => ({
    name,
    text: typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  }))

const Values = ({ title, values }: { readonly title: string; readonly values: Readonly<Record<string, unknown>> }) => {
  const entries = entriesOf(values)
  if (entries.length === 0) return null
  return (
    <section className={css.card}>
      <h2>{title}</h2>
      <dl className={css.definitions}>
        {entries.map(({ name, text }) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>
              <code>{visible(text.slice(0, 4000))}</code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The outcome of the run, in words. */
const Outcome = ({ run }: { readonly run: Detail }) => (
  <section className={css.card}>
    <h2>{common.outcome}</h2>
    {run.error === null ? null : <p className={css.bad}>{visible(run.error)}</p>}
    {run.counts === undefined ? null : <p>{t.run.counts(run.counts)}</p>}
    {run.outcome === undefined && run.error === null ? <p className={css.note}>{t.run.open[run.state]}</p> : null}
    {run.outcome === undefined ? null : <p>{t.run.outcomes[run.outcome]}</p>}
    {run.reasons === undefined ? null : (
      <ul className={css.reasons}>
        {run.reasons.map((reason) => (
          <li key={reason}>{visible(reason)}</li>
        ))}
      </ul>
    )}
  </section>
)

/** The times of the run, and what started it. */
const Events = ({ run }: { readonly run: Detail }) => {
  const { trigger } = run
  return (
    <section className={css.card}>
      <h2>{t.run.events}</h2>
      <ol className={css.events}>
        <li>
          <Time at={run.createdAt} />
          <span>
            {trigger === undefined
              ? t.run.requested
              : t.run.triggered(
                  visible(trigger.schedule),
                  trigger.kind,
                  common.moment(Date.parse(trigger.scheduledAt))
                )}
          </span>
        </li>
        {run.events.toReversed().map(({ seq, timestamp, event, detail }) => (
          <li key={seq}>
            <Time at={timestamp} />
            <span>
              {t.run.event(event)}
              {detail === undefined ? null : <span className={css.note}> {visible(detail)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

export const Overview = ({
  run,
  samples,
  definition,
  definitionError,
  again
}: {
  readonly run: Detail
  readonly samples: ReadonlyArray<Sample>
  readonly definition: unknown
  readonly definitionError: unknown
  /** Loads the definition again. */
  readonly again: () => void
}) => {
  const [selected, setSelected] = useState<string>()
  const graph = useMemo((): Graph => {
    const read = graphOfFlowline(definition)
    if (read.nodes.length > 0) return read
    const nodes = run.nodes.map(({ component }) => ({ id: component, title: component, type: "" }))
    return { nodes, edges: [] }
  }, [definition, run.nodes])
  const shown = useMemo(() => measured(graph, run, samples), [graph, run, samples])
  const edge = shown.edges.find(({ id }) => id === selected)
  const node = run.nodes.find(({ component }) => component === selected)
  return (
    <>
      <Problem error={definitionError} again={again} />
      <div className={css.dag}>
        {definition === undefined && definitionError === undefined ? null : (
          <Dag nodes={shown.nodes} edges={shown.edges} label={t.run.graph} selected={selected} onSelect={setSelected} />
        )}
      </div>
      {node === undefined ? null : (
        <section className={css.card} aria-label={visible(node.component)}>
          <h2>
            {visible(node.component)}{" "}
            {node.errors === 0 ? null : <Badge tone="bad">{t.node.rejected(node.errors)}</Badge>}
          </h2>
          <NodeFacts node={node} />
        </section>
      )}
      {edge === undefined ? null : (
        <section className={css.card}>
          <h2>{t.node.edge(visible(edge.from), visible(edge.to))}</h2>
          <p>{edge.label}</p>
        </section>
      )}
      <div className={css.cards}>
        <Outcome run={run} />
        <Events run={run} />
        <Values title={t.columns.parameters} values={run.parameters} />
        <Values title={t.run.variables(run.environment)} values={run.variables} />
      </div>
      <p className={look.hidden} role="status">
        {t.stateAndOutcome(run.state, run.outcome)}
      </p>
    </>
  )
}
