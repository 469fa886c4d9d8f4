import { useMemo } from "react"
import { gatewayBase } from "../../app/base.ts"
import { addressOf, useQuery } from "../../app/location.ts"
import { Button } from "../../parts/Button.tsx"
import { Command } from "../../parts/Command.tsx"
import { countColumn, timeColumn } from "../../parts/columns.tsx"
import { Badge, Empty, Frame } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { visible } from "../../parts/values.ts"
import { common, runs as t } from "../../texts/en.ts"
import { type Execution, outcomes, states, toneOf } from "./models.ts"
import css from "./runs.module.css"
import { useHistory } from "./useHistory.ts"
import { flowlineColumn, useNames } from "./useNames.ts"
import { listViews } from "./views.ts"

/** A value of `datetime-local`, in the reader's zone. */
const localOf = (iso: string): string => {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ""
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const isoOf = (local: string): string => {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? "" : at.toISOString()
}

const instantOf = (iso: string): number | undefined => (Number.isNaN(Date.parse(iso)) ? undefined : Date.parse(iso))

const parametersText = ({ parameters }: Execution): string => {
  const text = parameters === undefined ? "{}" : JSON.stringify(parameters)
  return text === "{}" ? "" : visible(text.slice(0, 200))
}

const columnsOf = (names: ReadonlyMap<string, string>): ReadonlyArray<Column<Execution>> => [
  timeColumn({ id: "created", title: t.columns.requested }, ({ createdAt }) => createdAt),
  {
    id: "state",
    title: common.state,
    value: ({ state, outcome }) => `${t.states[state]} ${outcome ?? ""}`,
    cell: ({ state, outcome }) => (
      <Badge tone={toneOf({ state, ...(outcome === undefined ? {} : { outcome }) })}>
        {t.stateAndOutcome(state, outcome)}
      </Badge>
    ),
    width: "minmax(195px, 1fr)"
  },
  flowlineColumn(names),
  countColumn({ id: "read", title: t.columns.read }, ({ counts }) => counts?.read),
  countColumn({ id: "written", title: t.columns.written }, ({ counts }) => counts?.written),
  {
    id: "rejected",
    title: t.columns.rejected,
    value: ({ counts }) => counts?.rejected,
    cell: ({ counts }) =>
      counts === undefined ? (
        ""
      ) : (
        <span className={counts.rejected > 0 ? css.bad : ""}>{common.count(counts.rejected)}</span>
      ),
    width: "90px",
    align: "end"
  },
  {
    id: "duration",
    title: t.columns.duration,
    value: ({ duration }) => duration,
    cell: ({ duration, state }) => (state === "PENDING" ? "" : common.duration(duration)),
    width: "110px",
    align: "end"
  },
  {
    id: "parameters",
    title: t.columns.parameters,
    cell: (run) => <code>{parametersText(run)}</code>,
    width: "minmax(120px, 1fr)"
  }
]

/** The runs of a tenant, newest first, updated live. */
export const RunList = ({ tenant }: { readonly tenant: string }) => {
  const [stateText, setState] = useQuery("state")
  const [outcomeText, setOutcome] = useQuery("outcome")
  const [flowline, setFlowline] = useQuery("flowline")
  const [from, setFrom] = useQuery("from")
  const [to, setTo] = useQuery("to")
  const state = states.find((name) => name === stateText)
  const outcome = outcomes.find((name) => name === outcomeText)
  const [begin, end] = [instantOf(from), instantOf(to)]
  const filter = {
    ...(state === undefined ? {} : { state }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(flowline === "" ? {} : { flowline }),
    ...(begin === undefined ? {} : { from: begin }),
    ...(end === undefined ? {} : { to: end })
  }
  const isFiltered = Object.keys(filter).length > 0
  const { runs, isAll, more, error, again } = useHistory(tenant, filter)
  const names = useNames(tenant, runs?.map(({ flowlineId }) => flowlineId) ?? [])
  const columns = useMemo(() => columnsOf(names), [names])
  const clear = () => {
    for (const set of [setState, setOutcome, setFlowline, setFrom, setTo]) set("")
  }
  return (
    <Frame title={t.title} views={listViews("runs")}>
      <div className={css.filters}>
        <label className={css.filter}>
          {common.state}
          <select value={state ?? ""} onChange={({ target }) => setState(target.value)}>
            <option value="">{t.filters.any}</option>
            {states.map((name) => (
              <option key={name} value={name}>
                {t.states[name]}
              </option>
            ))}
          </select>
        </label>
        <label className={css.filter}>
          {common.outcome}
          <select value={outcome ?? ""} onChange={({ target }) => setOutcome(target.value)}>
            <option value="">{t.filters.any}</option>
            {outcomes.map((name) => (
              <option key={name} value={name}>
                {t.outcomes[name]}
              </option>
            ))}
          </select>
        </label>
        <label className={css.filter}>
          {t.filters.flowline}
          <select value={flowline} onChange={({ target }) => setFlowline(target.value)}>
            <option value="">{t.filters.any}</option>
            {flowline === "" || names.has(flowline) ? null : <option value={flowline}>{visible(flowline)}</option>}
            {[...names].map(([id, name]) => (
              <option key={id} value={id}>
                {visible(name)}
              </option>
            ))}
          </select>
        </label>
        <label className={css.filter}>
          {t.filters.from}
          <input type="datetime-local" value={localOf(from)} onChange={({ target }) => setFrom(isoOf(target.value))} />
        </label>
        <label className={css.filter}>
          {t.filters.to}
          <input type="datetime-local" value={localOf(to)} onChange={({ target }) => setTo(isoOf(target.value))} />
        </label>
        <Button className={look.button!} onPress={clear} isDisabled={!isFiltered}>
          {t.filters.clear}
        </Button>
      </div>
      <Problem error={error} again={again} />
      {runs !== undefined && runs.length === 0 ? (
        isFiltered ? (
          <Empty title={t.empty.noMatch}>
            <p>{t.empty.noMatchHelp}</p>
          </Empty>
        ) : (
          <Empty title={t.empty.title}>
            <p>{t.empty.help}</p>
            <p>
              <a href={addressOf(["flowlines"])}>{t.empty.flowlines}</a>
            </p>
            <Command lead={t.empty.curl} text={`curl -F file=@flowline.yaml ${gatewayBase}v1/${tenant}/flowline`} />
          </Empty>
        )
      ) : (
        <>
          <Table
            label={t.title}
            columns={columns}
            rows={runs ?? []}
            keyOf={({ id }) => id}
            to={({ flowlineId, id }) => addressOf(["runs", flowlineId, id])}
            end={more}
          />
          <p role="status" className={css.note}>
            {runs === undefined ? (error === undefined ? common.loading : null) : t.shown(runs.length, isAll)}
          </p>
        </>
      )}
    </Frame>
  )
}
