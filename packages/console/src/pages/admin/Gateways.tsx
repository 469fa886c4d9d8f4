import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { type Readiness, readiness } from "../../app/readiness.ts"
import { useMayEverywhere } from "../../app/session.ts"
import { countColumn, timeColumn, timeWidth } from "../../parts/columns.tsx"
import { Badge } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { admin, common } from "../../texts/en.ts"
import css from "./admin.module.css"

const t = admin.gateways

/** Polling interval in milliseconds. */
const every = 5000

interface Entry {
  readonly name: string
  readonly address: string | null
  readonly seenAt: string
  readonly answering: boolean
  readonly executions: number
  readonly jobs: number
}

const columns: ReadonlyArray<Column<Entry>> = [
  {
    id: "name",
    title: t.name,
    value: ({ name }) => name,
    cell: ({ name, answering }) => (
      <>
        <code>{name}</code> {answering ? <Badge tone="good">{t.answering}</Badge> : null}
      </>
    ),
    width: "minmax(240px, 2fr)"
  },
  {
    id: "address",
    title: t.address,
    value: ({ address }) => address ?? "",
    cell: ({ address }) => (address === null ? "–" : <code>{address}</code>),
    width: "minmax(140px, 1fr)"
  },
  timeColumn({ id: "seen", title: t.seen, width: timeWidth }, ({ seenAt }) => seenAt),
  countColumn({ id: "executions", title: t.executions, width: "100px" }, ({ executions }) => executions),
  countColumn({ id: "jobs", title: t.jobs, width: "80px" }, ({ jobs }) => jobs)
]

const State = ({ found }: { readonly found: Readiness }) => {
  const defects = Object.entries(found.defects)
  return (
    <div className={css.cards}>
      <section className={css.card}>
        <h3>{t.dependencies}</h3>
        <ul className={css.states}>
          {Object.entries(found.dependencies).map(([name, state]) => (
            <li key={name}>
              <span>{t.names[name] ?? name}</span>
              <Badge tone={state === "up" ? "good" : "bad"}>{state === "up" ? t.up : t.down}</Badge>
            </li>
          ))}
        </ul>
      </section>
      <section className={css.card}>
        <h3>{t.defects}</h3>
        {defects.length === 0 ? (
          <p className={css.dim}>{t.noDefects}</p>
        ) : (
          <ul className={css.states}>
            {defects.map(([name, count]) => (
              <li key={name}>
                <Badge tone="warn">{common.count(count)}</Badge>
                <span>{t.defectNames[name] ?? name}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
      {Object.keys(found.isolation).length === 0 ? null : (
        <section className={css.card}>
          <h3>{t.isolation}</h3>
          <ul className={css.states}>
            {Object.entries(found.isolation).map(([name, all]) => (
              <li key={name}>
                <span>{name}</span>
                <span>{t.isolated(all.join(", "))}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** Whether the answering gateway is ready, and the gateways that share its database. */
export const Gateways = () => {
  const may = useMayEverywhere("admin")
  const state = useAnswer(async (signal) => (await readiness(signal)) ?? null, [], every)
  const installation = useAnswer(
    may ? (signal) => gateway.platform.installation(undefined, { signal }) : undefined,
    [may],
    every
  )
  const { value: found } = state
  return (
    <>
      <p className={css.facts} role="status">
        {found === undefined || found === null ? null : (
          <Badge tone={found.isReady ? "good" : "bad"}>{found.isReady ? t.ready : t.notReady}</Badge>
        )}
        {found?.detail}
        {installation.value === undefined ? null : (
          <span className={css.dim}>{t.version(installation.value.version)}</span>
        )}
      </p>
      <Problem error={state.error} again={state.again} />
      {found === undefined ? (
        <p className={css.waiting}>{state.error === undefined ? common.loading : null}</p>
      ) : found === null ? (
        <p className={pages.dim}>{t.hidden}</p>
      ) : (
        <State found={found} />
      )}
      {may ? (
        <>
          <h3>{t.all}</h3>
          <Problem error={installation.error} again={installation.again} />
          {installation.value === undefined ? null : (
            <>
              <Table
                label={t.all}
                columns={columns}
                rows={installation.value.gateways}
                keyOf={({ name }) => name}
                sort={{ id: "name", desc: false }}
              />
              {installation.value.gateways.length < 2 ? <p className={css.dim}>{t.alone}</p> : null}
            </>
          )}
        </>
      ) : null}
    </>
  )
}
