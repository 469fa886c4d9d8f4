import { useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Code } from "../../parts/Code.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { sizeColumn, timeColumn } from "../../parts/columns.tsx"
import { Badge } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { common, flowlines } from "../../texts/en.ts"
import { Difference } from "./Difference.tsx"
import own from "./flowlines.module.css"
import type { VersionEntry } from "./model.ts"

const t = flowlines.versions

const columns: ReadonlyArray<Column<VersionEntry>> = [
  {
    id: "version",
    title: t.version,
    value: ({ version }) => version,
    cell: ({ version }) => t.number(version),
    width: "110px"
  },
  timeColumn({ id: "at", title: t.saved }, (row) => row["@timestamp"]),
  {
    id: "state",
    title: t.state,
    cell: ({ current, restored }) => (
      <>
        {current ? <Badge tone="good">{t.current}</Badge> : null} {restored === null ? "" : t.restores(restored)}
      </>
    )
  },
  { id: "file", title: t.file, value: ({ filename }) => filename ?? "", cell: ({ filename }) => filename ?? "" },
  sizeColumn({ id: "size", title: t.size, width: "90px" }, ({ size }) => size)
]

/** The text of a version, as it was sent. */
const Text = ({ tenant, id, version }: { readonly tenant: string; readonly id: string; readonly version: number }) => {
  const { value, error, again } = useAnswer(
    (signal) => gateway.flowlines.version({ params: { tenant, id, version } }, { signal }),
    [tenant, id, version]
  )
  return (
    <details>
      <summary>{t.text(version)}</summary>
      <Problem error={error} again={again} />
      <Code label={t.text(version)} className={own.diff}>
        {value?.text ?? ""}
      </Code>
    </details>
  )
}

/** The versions of a flowline: what has changed between any two of them, and the way back to one. */
const VersionsView = ({
  tenant,
  id,
  changed
}: {
  readonly tenant: string
  readonly id: string
  readonly changed: () => void
}) => {
  const { value, error, again } = useAnswer(
    (signal) => gateway.flowlines.versions({ params: { tenant, id }, query: {} }, { signal }),
    [tenant, id],
    30_000
  )
  const mayChange = useMay("developer")
  const [chosen, setChosen] = useQuery("to")
  const [base, setBase] = useQuery("from")
  /** The version to restore, while its dialog is open. */
  const [asking, setAsking] = useState<number>()
  const rows = value ?? []
  const current = rows.find((row) => row.current)?.version
  const to = rows.find(({ version }) => String(version) === chosen)?.version ?? rows[0]?.version
  const before = rows.find(({ version }) => version < (to ?? 0))?.version
  const from = rows.find(({ version }) => String(version) === base)?.version ?? before
  const restore = async (version: number) => {
    const { version: made } = await answering(() =>
      gateway.flowlines.restore(
        { params: { tenant, id, version } },
        { headers: { "if-match": `"${id}.${current ?? 0}"` } }
      )
    )
    toast(t.restored(version, made ?? 0))
    setChosen("")
    again()
    changed()
  }
  return (
    <>
      <Problem error={error} again={again} />
      <Table
        label={t.title}
        columns={columns}
        rows={rows}
        keyOf={({ version }) => String(version)}
        current={to === undefined ? undefined : String(to)}
        onOpen={({ version }) => setChosen(String(version), "push")}
      />
      {to === undefined ? null : (
        <div className={own.compare}>
          <label className={own.inline}>
            {t.compare(to)}
            <select className={css.input} value={from ?? ""} onChange={({ target }) => setBase(target.value, "push")}>
              {from === undefined ? <option value="">{common.none}</option> : null}
              {rows
                .filter(({ version }) => version !== to)
                .map(({ version }) => (
                  <option key={version} value={version}>
                    {t.number(version)}
                  </option>
                ))}
            </select>
          </label>
          {mayChange && to !== current ? (
            <Button className={look.button!} onPress={() => setAsking(to)}>
              {t.restore(to)}
            </Button>
          ) : null}
        </div>
      )}
      {to === undefined || from === undefined || from === to ? (
        value === undefined ? null : (
          <p className={css.dim}>{t.only}</p>
        )
      ) : (
        <Difference tenant={tenant} id={id} from={from} to={to} />
      )}
      {to === undefined ? null : <Text tenant={tenant} id={id} version={to} />}
      {asking === undefined ? null : (
        <Confirm
          title={t.restore(asking)}
          action={t.restoreNow}
          act={() => restore(asking)}
          close={() => setAsking(undefined)}
        >
          <p>{t.restoreHelp(asking)}</p>
        </Confirm>
      )}
    </>
  )
}

export default VersionsView
