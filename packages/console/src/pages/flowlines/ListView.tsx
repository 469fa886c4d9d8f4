import { useMemo } from "react"
import { listPause, useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { addressOf, go, useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Command } from "../../parts/Command.tsx"
import { countColumn, timeColumn, timeWidth } from "../../parts/columns.tsx"
import { Empty, Frame, Loading } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { visible } from "../../parts/values.ts"
import { flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import { LastRuns } from "./LastRuns.tsx"
import { nameOf, type SavedFlowline } from "./model.ts"
import { isObject, textOf } from "./schema.ts"

const t = flowlines.list

interface Row {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly runtime: string
  readonly types: ReadonlyArray<string>
  readonly version: number
  readonly at: string
  /** The text in which the filter searches. */
  readonly text: string
}

const rowOf = ({ id, flowline, version, "@timestamp": at }: SavedFlowline): Row => {
  const dag = Array.isArray(flowline["dag"]) ? flowline["dag"].filter(isObject) : []
  const name = nameOf(flowline, id)
  const description = textOf(flowline["description"])
  const runtime = textOf(flowline["runtime"])
  const types = dag.map(({ type }) => textOf(type))
  const components = dag.map(({ component }) => textOf(component))
  const text = [name, id, description, runtime, ...types, ...components].join(" ").toLowerCase()
  return { id, name, description, runtime, types, version, at, text }
}

const columnsOf = (tenant: string): ReadonlyArray<Column<Row>> => [
  {
    id: "name",
    title: t.name,
    value: ({ name }) => name.toLowerCase(),
    cell: ({ name }) => visible(name),
    width: "minmax(170px, 1.4fr)"
  },
  {
    id: "runs",
    title: t.lastRuns,
    cell: ({ id, name }) => <LastRuns tenant={tenant} id={id} name={name} />,
    width: "136px"
  },
  {
    id: "description",
    title: t.description,
    value: ({ description }) => description,
    cell: ({ description, types }) =>
      description === "" ? <span className={css.dim}>{types.join(" → ")}</span> : description,
    width: "minmax(160px, 2fr)"
  },
  { id: "runtime", title: t.runtime, value: ({ runtime }) => runtime, cell: ({ runtime }) => runtime, width: "84px" },
  countColumn({ id: "nodes", title: t.nodes, width: "60px" }, ({ types }) => types.length),
  {
    id: "version",
    title: t.version,
    value: ({ version }) => version,
    cell: ({ version }) => version,
    width: "68px",
    align: "end"
  },
  timeColumn({ id: "at", title: t.changed, width: timeWidth }, ({ at }) => at)
]

const NewLink = () => (
  <Link to={addressOf(["flowlines", "new"])} className={own.primaryLink}>
    {flowlines.create}
  </Link>
)

/** The saved flowlines of the tenant with their last runs. */
export const ListView = ({ tenant }: { readonly tenant: string }) => {
  const { value, error, again } = useAnswer(
    tenant === "" ? undefined : (signal) => gateway.flowlines.list({ params: { tenant }, query: {} }, { signal }),
    [tenant],
    listPause(20_000)
  )
  const [filter, setFilter] = useQuery("q")
  const mayChange = useMay("developer")
  const rows = useMemo(() => (value ?? []).map(rowOf), [value])
  const words = filter.toLowerCase().split(/\s+/)
  const found = rows.filter(({ text }) => words.every((word) => text.includes(word)))
  const columns = useMemo(() => columnsOf(tenant), [tenant])
  return (
    <Frame title={flowlines.title} actions={mayChange ? <NewLink /> : null}>
      <Problem error={error} again={again} />
      {value === undefined ? (
        <Loading error={error} />
      ) : value.length === 0 ? (
        <Empty title={t.empty}>
          <p>{t.emptyHelp}</p>
          {mayChange ? (
            <p>
              <NewLink />
            </p>
          ) : null}
          <Command lead={t.emptyCurl} text={`curl -F file=@flowline.yaml ${gatewayBase}v1/${tenant}/flowline/save`} />
        </Empty>
      ) : (
        <>
          <div className={own.filter}>
            <input
              className={css.input}
              type="search"
              aria-label={t.filter}
              placeholder={t.filter}
              value={filter}
              onChange={({ target }) => setFilter(target.value)}
              onKeyDown={({ key }) => {
                if (key === "Enter" && found.length === 1) go(addressOf(["flowlines", found[0]!.id]))
              }}
            />
            <span className={css.dim} role="status">
              {t.count(found.length, rows.length)}
            </span>
          </div>
          {found.length === 0 ? (
            <p className={css.dim}>{t.noneFound}</p>
          ) : (
            <Table
              label={flowlines.title}
              columns={columns}
              rows={found}
              keyOf={({ id }) => id}
              to={({ id }) => addressOf(["flowlines", id])}
              sort={{ id: "at", desc: true }}
            />
          )}
        </>
      )}
    </Frame>
  )
}
