import { type ReactNode, useId, useMemo } from "react"
import { Badge } from "../../parts/Frame.tsx"
import { LazyPlot } from "../../parts/LazyPlot.tsx"
import type { PlotSeries } from "../../parts/Plot.tsx"
import shared from "../../parts/pages.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { common, channels as t } from "../../texts/en.ts"
import { countsOf, type Job, jobName, toneOf, whyOf } from "./Channels.ts"
import css from "./channels.module.css"
import { Output } from "./Output.tsx"
import { ratesOf, samplesOf } from "./Samples.ts"
import { Timeline } from "./Timeline.tsx"

type Node = Job["nodes"][number]

const number = (id: string, title: string, of: (node: Node) => number | undefined): Column<Node> => ({
  id,
  title,
  value: of,
  cell: (node) => {
    const value = of(node)
    return value === undefined ? "–" : common.count(value)
  },
  width: "90px",
  align: "end"
})

const nodeColumns: ReadonlyArray<Column<Node>> = [
  {
    id: "node",
    title: t.node,
    value: ({ component }) => component,
    cell: ({ component }) => component,
    width: "minmax(120px, 1fr)"
  },
  number("in", t.recordsIn, ({ recordsIn }) => recordsIn),
  number("out", t.recordsOut, ({ recordsOut }) => recordsOut),
  number("errors", t.errors, ({ errors }) => errors),
  {
    id: "lag",
    title: t.lag,
    value: ({ lag }) => lag,
    cell: ({ lag }) => (lag === undefined ? "–" : common.bytes(lag)),
    width: "84px",
    align: "end"
  },
  {
    id: "said",
    title: t.said,
    cell: ({ lastError, warning }) => lastError ?? warning ?? "",
    width: "minmax(140px, 3fr)"
  }
]

const rateSeries: ReadonlyArray<PlotSeries> = [
  { label: t.read, colour: "--accent", kind: "line", say: t.perSecond },
  { label: t.written, colour: "--good", kind: "line", say: t.perSecond }
]
const lagSeries: ReadonlyArray<PlotSeries> = [{ label: t.lag, colour: "--warn", kind: "line", say: common.bytes }]

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** The failed runs, newest first. */
const Exits = ({ job: { failures = [], lastError } }: { readonly job: Job }) => {
  const id = useId()
  const shown = failures.length === 0 && lastError !== null ? [{ error: lastError, timestamp: undefined }] : failures
  return (
    <section aria-labelledby={id} className={css.part}>
      <h3 id={id}>{t.exits}</h3>
      {shown.length === 0 ? (
        <p className={shared.dim}>{t.noExits}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
        <ol className={css.exits} tabIndex={0} aria-labelledby={id}>
          {[...shown].reverse().map(({ timestamp, error }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may be of the same moment.
            <li key={at}>
              <Time at={timestamp} /> <span className={css.reason}>{error}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** A job: its state with the reasons, its last hour, exits, lag and rates, its nodes and its output. */
export const JobDetail = ({
  tenant,
  channel,
  job,
  actions
}: {
  readonly tenant: string
  readonly channel: string
  readonly job: Job
  readonly actions: ReactNode
}) => {
  const id = useId()
  const samples = samplesOf(tenant, channel, jobName(job))
  const { times, lags, rates } = useMemo(
    () => ({
      times: samples.map(({ at }) => at),
      lags: [samples.map(({ lag }) => lag ?? null)],
      rates: [ratesOf(samples, "read"), ratesOf(samples, "written")]
    }),
    [samples]
  )
  const { read, written, rejected } = countsOf(job)
  const hasLag = samples.some(({ lag }) => lag !== undefined)
  const parameters = Object.entries(job.parameters ?? {})
  return (
    <section aria-labelledby={id} className={css.detail}>
      <div className={shared.frameHead}>
        <h2 id={id}>{t.jobTitle(jobName(job))}</h2>
        {actions}
      </div>
      <p className={css.state}>
        <Badge tone={toneOf(job.status)}>{t.states[job.status]}</Badge>{" "}
        <span className={css.reason}>{whyOf(job, Date.now())}</span>
      </p>
      <dl className={css.facts}>
        <Fact name={t.desired}>{t.wanted[job.desired]}</Fact>
        <Fact name={t.since}>{job.since === null ? "–" : <Time at={job.since} />}</Fact>
        <Fact name={t.nextStart}>{job.nextRun === null ? "–" : <Time at={job.nextRun} />}</Fact>
        <Fact name={t.restarts}>{common.count(job.restarts)}</Fact>
        <Fact name={t.read}>{read === undefined ? "–" : common.count(read)}</Fact>
        <Fact name={t.written}>{written === undefined ? "–" : common.count(written)}</Fact>
        <Fact name={t.rejected}>{common.count(rejected)}</Fact>
        <Fact name={t.keeper}>{job.node ?? "–"}</Fact>
        <Fact name={t.process}>{job.jobId ?? "–"}</Fact>
        <Fact name={t.file}>{job.task === "" ? "–" : job.task}</Fact>
        {parameters.length === 0 ? null : (
          <Fact name={t.parameters}>
            <code>{parameters.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}</code>
          </Fact>
        )}
      </dl>
      <Timeline job={job} samples={samples} />
      <div className={css.plots}>
        <section aria-label={t.lagTitle} className={css.part}>
          <h3>{t.lagTitle}</h3>
          {hasLag ? (
            <LazyPlot label={t.lagTitle} times={times} values={lags} series={lagSeries} height={130} />
          ) : (
            <p className={shared.dim}>{t.noLag}</p>
          )}
        </section>
        <section aria-label={t.rateTitle} className={css.part}>
          <h3>{t.rateTitle}</h3>
          <LazyPlot label={t.rateTitle} times={times} values={rates} series={rateSeries} height={130} />
        </section>
      </div>
      <Exits job={job} />
      {job.nodes.length === 0 ? null : (
        <Table label={t.nodes} columns={nodeColumns} rows={job.nodes} keyOf={({ component }) => component} />
      )}
      <Output tenant={tenant} channel={channel} job={job} />
    </section>
  )
}
