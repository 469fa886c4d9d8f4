import { useEffect, useMemo, useState } from "react"
import { useListing } from "../../app/listing.ts"
import { useQuery } from "../../app/location.ts"
import { useMayEverywhere } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { Choice } from "../../parts/Choice.tsx"
import { countColumn, timeWidth } from "../../parts/columns.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Badge, Empty } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import parts from "../../parts/parts.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { admin, common } from "../../texts/en.ts"
import css from "./admin.module.css"

const t = admin.audit

const members = [
  ...(["seq", "time", "tenant", "principal", "method", "action", "target", "outcome", "status", "count"] as const),
  ...(["requestId", "remote", "before", "after", "previous", "hash"] as const)
]

type Entry = Readonly<Record<(typeof members)[number], string | number | null>> & {
  readonly seq: number
  readonly time: string
  readonly outcome: keyof typeof t.outcomes
}

const hours = { hour: 1, day: 24, week: 168, month: 720, all: undefined } as const
type Period = keyof typeof hours
const periods = ["hour", "day", "week", "month", "all"] as const
const outcomes = ["done", "begun", "refused", "failed"] as const
const filters = ["principal", "action", "target"] as const

const tones = { done: "good", begun: "busy", refused: "warn", failed: "bad" } as const

const columns: ReadonlyArray<Column<Entry>> = [
  countColumn({ id: "seq", title: "#", width: "70px" }, ({ seq }) => seq),
  { id: "time", title: t.time, value: ({ time }) => time, cell: ({ time }) => <Time at={time} />, width: timeWidth },
  {
    id: "outcome",
    title: common.outcome,
    value: ({ outcome }) => outcome,
    cell: ({ outcome, status }) => (
      <Badge tone={tones[outcome]}>
        {t.outcomes[outcome]} {status}
      </Badge>
    ),
    width: "110px"
  },
  {
    id: "action",
    title: t.action,
    value: ({ action }) => String(action),
    cell: ({ action }) => <code>{action}</code>,
    width: "minmax(150px, 1fr)"
  },
  {
    id: "target",
    title: t.target,
    value: ({ target }) => String(target),
    cell: ({ target }) => <span title={String(target)}>{target}</span>,
    width: "minmax(160px, 2fr)"
  },
  {
    id: "principal",
    title: t.principal,
    value: ({ principal }) => String(principal),
    cell: ({ principal }) => principal,
    width: "minmax(120px, 1fr)"
  },
  countColumn({ id: "count", title: t.count, width: "70px" }, ({ count }) => Number(count))
]

const Row = ({ entry, close }: { readonly entry: Entry; readonly close: () => void }) => (
  <Dialog title={t.row(entry.seq)} close={close}>
    <dl className={css.members}>
      {members.map((name) => (
        <div key={name}>
          <dt>{t.members[name]}</dt>
          <dd>{name === "time" ? <Time at={entry.time} /> : <code>{entry[name] ?? "–"}</code>}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)

const isPeriod = (text: string): text is Period => Object.hasOwn(hours, text)

/** The audit: who changed what and who was refused, newest first. The filter is in the address. */
export const Audit = ({ tenant }: { readonly tenant: string }) => {
  const [chain, setChain] = useQuery("of")
  const [given, setPeriod] = useQuery("period")
  const [outcome, setOutcome] = useQuery("outcome")
  const asked = { principal: useQuery("principal"), action: useQuery("action"), target: useQuery("target") }
  const [[principal], [action], [target]] = [asked.principal, asked.action, asked.target]
  const [typed, setTyped] = useState({ principal, action, target })
  // The fields say what the list has, also when the browser goes back.
  useEffect(() => setTyped({ principal, action, target }), [principal, action, target])
  const isOwner = useMayEverywhere("admin")
  const [round, setRound] = useState(0)
  const [open, setOpen] = useState<Entry>()
  const period = isPeriod(given) ? given : "week"
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new look reaches up to then.
  const from = useMemo(() => {
    const back = hours[period]
    return back === undefined ? undefined : new Date(Date.now() - back * 3_600_000).toISOString()
  }, [period, round])
  const query = {
    order: "newest",
    ...(from === undefined ? {} : { from }),
    ...(outcome === "" ? {} : { outcome }),
    ...Object.fromEntries(filters.flatMap((name) => (asked[name][0] === "" ? [] : [[name, asked[name][0]]])))
  }
  const path = chain === "platform" ? "v1/platform/audit" : `v1/${encodeURIComponent(tenant)}/audit`
  const { rows, isLoading, error, again, more } = useListing<Entry>(path, query, [], (entry) => entry)
  const isFiltered = outcome !== "" || filters.some((name) => asked[name][0] !== "")
  const clear = () => {
    setOutcome("", "push")
    setTyped({ principal: "", action: "", target: "" })
    for (const name of filters) asked[name][1]("")
  }
  return (
    <>
      <form
        className={css.filters}
        onSubmit={(event) => {
          event.preventDefault()
          const [first, ...rest] = filters.filter((name) => typed[name].trim() !== asked[name][0])
          // One step back for all of them.
          if (first !== undefined) asked[first][1](typed[first].trim(), "push")
          for (const name of rest) asked[name][1](typed[name].trim())
        }}
      >
        {isOwner ? (
          <Choice
            label={t.of}
            options={[
              { key: "", title: t.chains.tenant },
              { key: "platform", title: t.chains.platform }
            ]}
            chosen={chain === "platform" ? "platform" : ""}
            choose={(key) => setChain(key, "push")}
          />
        ) : null}
        <label className={pages.field}>
          {t.period}
          <select value={period} onChange={({ target }) => setPeriod(target.value, "push")}>
            {periods.map((one) => (
              <option key={one} value={one}>
                {t.periods[one]}
              </option>
            ))}
          </select>
        </label>
        <label className={pages.field}>
          {common.outcome}
          <select value={outcome} onChange={({ target }) => setOutcome(target.value, "push")}>
            <option value="">{t.anyOutcome}</option>
            {outcomes.map((one) => (
              <option key={one} value={one}>
                {t.outcomes[one]}
              </option>
            ))}
          </select>
        </label>
        {filters.map((name) => (
          <label key={name} className={pages.field}>
            {t[name]}
            <input
              value={typed[name]}
              maxLength={1024}
              spellCheck={false}
              autoComplete="off"
              onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
            />
          </label>
        ))}
        <Button type="submit" className={parts.button}>
          {t.filter}
        </Button>
        {isFiltered ? (
          <Button className={parts.button} onPress={clear}>
            {t.clear}
          </Button>
        ) : null}
        <Button className={parts.button} onPress={() => setRound(round + 1)}>
          {t.refresh}
        </Button>
        <small className={css.dim}>{t.exact}</small>
      </form>
      <Problem error={error} again={again} />
      {rows === undefined ? (
        isLoading ? (
          <p className={css.waiting}>{common.loading}</p>
        ) : null
      ) : rows.length === 0 ? (
        <Empty title={t.empty}>
          <p>{t.emptyText}</p>
        </Empty>
      ) : (
        <>
          <Table
            label={admin.views.audit}
            columns={columns}
            rows={rows}
            keyOf={({ seq }) => String(seq)}
            onOpen={setOpen}
            current={open === undefined ? undefined : String(open.seq)}
          />
          <p className={css.facts} role="status">
            {common.rows(rows.length)}
            {more === undefined ? null : (
              <>
                {" "}
                {t.further}
                <Button className={parts.button} onPress={more}>
                  {common.more}
                </Button>
              </>
            )}
          </p>
        </>
      )}
      <details className={css.details}>
        <summary>{t.verify}</summary>
        <p>{t.verifyText}</p>
        <pre className={pages.code}>
          {chain === "platform" ? "flow-gateway audit verify" : `flow-gateway audit verify --tenant ${tenant}`}
        </pre>
      </details>
      {open === undefined ? null : <Row entry={open} close={() => setOpen(undefined)} />}
    </>
  )
}
