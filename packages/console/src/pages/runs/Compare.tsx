import { useMemo } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { addressOf, useQuery } from "../../app/location.ts"
import { Empty } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { visible } from "../../parts/values.ts"
import { common, runs as t } from "../../texts/en.ts"
import type { Detail, NodeCount } from "./models.ts"
import css from "./runs.module.css"

/** Number of runs to choose from. */
const mostOffered = 200

interface Pair {
  readonly component: string
  readonly one: NodeCount | undefined
  readonly other: NodeCount | undefined
}

const difference = (one: number, other: number): string =>
  one === other ? t.compare.same : `${one > other ? "+" : "−"}${common.count(Math.abs(one - other))}`

/** A counter of both runs, and the difference. */
const countColumn = (id: string, title: string, of: (node: NodeCount) => number): Column<Pair> => ({
  id,
  title,
  value: ({ one, other }) => (one === undefined || other === undefined ? undefined : of(one) - of(other)),
  cell: ({ one, other }) => (
    <>
      {one === undefined ? "–" : common.count(of(one))} / {other === undefined ? "–" : common.count(of(other))}{" "}
      {one === undefined || other === undefined ? null : (
        <span className={of(one) === of(other) ? css.note : css.changed}>{difference(of(one), of(other))}</span>
      )}
    </>
  ),
  width: "minmax(190px, 1fr)",
  align: "end"
})

const columns: ReadonlyArray<Column<Pair>> = [
  {
    id: "component",
    title: t.columns.node,
    value: ({ component }) => component,
    cell: ({ component }) => visible(component),
    width: "minmax(120px, 1fr)"
  },
  countColumn("in", t.columns.in, ({ recordsIn }) => recordsIn),
  countColumn("out", t.columns.out, ({ recordsOut }) => recordsOut),
  countColumn("rejected", t.columns.rejected, ({ errors }) => errors)
]

const pairsOf = (one: Detail, other: Detail): ReadonlyArray<Pair> => {
  const names = new Set([...one.nodes, ...other.nodes].map(({ component }) => component))
  const of = (run: Detail, name: string) => run.nodes.find(({ component }) => component === name)
  return [...names].map((component) => ({ component, one: of(one, component), other: of(other, component) }))
}

const valueOf = (values: Readonly<Record<string, unknown>>, name: string): string =>
  name in values ? visible(JSON.stringify(values[name]).slice(0, 400)) : "–"

const rowsOf = (one: Detail, other: Detail): ReadonlyArray<readonly [string, string, string]> => {
  const names = (of: (run: Detail) => Readonly<Record<string, unknown>>) => [
    ...new Set([...Object.keys(of(one)), ...Object.keys(of(other))])
  ]
  const counts = ["read", "written", "rejected", "dropped"] as const
  return [
    [t.columns.requested, common.moment(Date.parse(one.createdAt)), common.moment(Date.parse(other.createdAt))],
    [common.state, t.stateAndOutcome(one.state, one.outcome), t.stateAndOutcome(other.state, other.outcome)],
    [t.columns.duration, common.duration(one.duration), common.duration(other.duration)],
    [common.version, String(one.version), String(other.version)],
    ...counts.map((name): readonly [string, string, string] => [
      t.columns[name],
      one.counts === undefined ? "–" : common.count(one.counts[name]),
      other.counts === undefined ? "–" : common.count(other.counts[name])
    ]),
    ...names(({ parameters }) => parameters).map((name): readonly [string, string, string] => [
      t.compare.parameter(visible(name)),
      valueOf(one.parameters, name),
      valueOf(other.parameters, name)
    ]),
    ...names(({ variables }) => variables).map((name): readonly [string, string, string] => [
      t.compare.variable(visible(name)),
      valueOf(one.variables, name),
      valueOf(other.variables, name)
    ]),
    [t.compare.reasons, (one.reasons ?? []).map(visible).join(" "), (other.reasons ?? []).map(visible).join(" ")]
  ]
}

/** Two runs of a flowline side by side. */
const Compare = ({ tenant, run }: { readonly tenant: string; readonly run: Detail }) => {
  const { flowlineId } = run
  const [chosen, setChosen] = useQuery("with")
  const list = useAnswer(
    (signal) =>
      gateway.executions.list(
        { params: { tenant }, query: { flowline: flowlineId, order: "newest", limit: mostOffered } },
        { signal }
      ),
    [tenant, flowlineId, run.id]
  )
  const offered = list.value?.filter(({ id }) => id !== run.id) ?? []
  const before = offered.find(({ createdAt }) => createdAt < run.createdAt) ?? offered[0]
  const id = chosen === "" ? before?.id : chosen
  const other = useAnswer(
    id === undefined
      ? undefined
      : (signal) => gateway.executions.detail({ params: { tenant, flowlineId, executionId: id } }, { signal }),
    [tenant, flowlineId, id]
  )
  const { value } = other
  const failure = list.error ?? other.error
  const pairs = useMemo(() => (value === undefined ? [] : pairsOf(run, value)), [run, value])
  if (list.value !== undefined && id === undefined) {
    return (
      <Empty title={t.compare.none}>
        <p>{t.compare.noneHelp}</p>
      </Empty>
    )
  }
  return (
    <>
      <label className={css.filter}>
        {t.compare.with}
        <select value={id ?? ""} onChange={({ target }) => setChosen(target.value)}>
          {id !== undefined && !offered.some((one) => one.id === id) ? <option value={id}>{visible(id)}</option> : null}
          {offered.map((one) => (
            <option key={one.id} value={one.id}>
              {common.moment(Date.parse(one.createdAt))} · {t.stateAndOutcome(one.state, one.outcome)}
            </option>
          ))}
        </select>
      </label>
      <Problem error={failure} again={list.error === undefined ? other.again : list.again} />
      {value === undefined ? (
        <p className={css.note}>{failure === undefined ? common.loading : null}</p>
      ) : (
        <>
          <section className={css.card}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
            <div className={css.sideways} tabIndex={0} role="region" aria-label={t.compare.title}>
              <table className={css.sides}>
                <thead>
                  <tr>
                    <td />
                    <th scope="col">{t.compare.thisRun}</th>
                    <th scope="col">
                      <Link to={addressOf(["runs", flowlineId, value.id])}>{t.compare.otherRun}</Link>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rowsOf(run, value).map(([name, one, another]) => (
                    <tr key={name} className={one === another ? "" : css.differs}>
                      <th scope="row">{name}</th>
                      <td>{one}</td>
                      <td>{another}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {run.version === value.version ? null : (
              <p>
                <Link
                  to={addressOf(["flowlines", flowlineId, "versions"], {
                    from: String(Math.min(run.version, value.version)),
                    to: String(Math.max(run.version, value.version))
                  })}
                >
                  {t.compare.diff(Math.min(run.version, value.version), Math.max(run.version, value.version))}
                </Link>
              </p>
            )}
          </section>
          <Table label={t.compare.nodes} columns={columns} rows={pairs} keyOf={({ component }) => component} />
        </>
      )}
    </>
  )
}

export default Compare
