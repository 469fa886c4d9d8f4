import { useMemo, useState } from "react"
import { Code } from "../../parts/Code.tsx"
import { edgeId } from "../../parts/dag/Graph.ts"
import { Badge } from "../../parts/Frame.tsx"
import css from "../../parts/pages.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { common, flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import type { Tried } from "./model.ts"

const t = flowlines.tryOut

type RecordOf = Tried["edges"][number]["records"][number]

const cellText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

/** Maximum number of columns; the whole record is shown when its row is opened. */
const mostColumns = 10

/** Records as rows: their fields are the columns. */
const Records = ({ label, records }: { readonly label: string; readonly records: ReadonlyArray<RecordOf> }) => {
  const [open, setOpen] = useState<number>()
  const rows = useMemo(() => records.map((record, at) => ({ at, record })), [records])
  const columns = useMemo((): ReadonlyArray<Column<(typeof rows)[number]>> => {
    const names = new Set<string>()
    for (const { record } of rows) {
      if (typeof record !== "string") for (const name of Object.keys(record)) names.add(name)
      if (names.size >= mostColumns) break
    }
    const fields = [...names].slice(0, mostColumns).map(
      (name): Column<(typeof rows)[number]> => ({
        id: name,
        title: name,
        width: "minmax(110px, 1fr)",
        cell: ({ record }) => (typeof record === "string" || !Object.hasOwn(record, name) ? "" : cellText(record[name]))
      })
    )
    const whole = {
      id: " text",
      title: t.text,
      width: "minmax(200px, 2fr)",
      cell: ({ record }: (typeof rows)[number]) => cellText(record)
    }
    return [
      { id: " at", title: "#", width: "44px", cell: ({ at }) => at + 1 },
      ...(fields.length === 0 ? [whole] : fields)
    ]
  }, [rows])
  const opened = open === undefined ? undefined : records[open]
  return (
    <>
      <Table
        label={label}
        columns={columns}
        rows={rows}
        keyOf={({ at }) => String(at)}
        current={open === undefined ? undefined : String(open)}
        onOpen={({ at }) => setOpen(at === open ? undefined : at)}
      />
      {opened === undefined ? null : (
        <Code label={t.record((open ?? 0) + 1)}>
          {typeof opened === "string" ? opened : JSON.stringify(opened, null, 2)}
        </Code>
      )}
    </>
  )
}

interface Part {
  readonly title: string
  readonly count: number
  readonly records: ReadonlyArray<RecordOf>
  readonly cut: boolean
}

/** The result for the selected edge or node. */
const partsOf = (answer: Tried, selected: string): ReadonlyArray<Part> => {
  const edge = answer.edges.find(({ from, stream, to }) => to.some((one) => edgeId(from, stream, one) === selected))
  if (edge !== undefined) {
    return [{ ...edge, title: t.edge(edge.from, edge.stream, edge.to.join(", ")) }]
  }
  const node = answer.nodes.find(({ component }) => component === selected)
  if (node === undefined) return []
  const published = answer.edges.filter(({ from }) => from === selected)
  return [
    ...(node.rejected === undefined ? [] : [{ ...node.rejected, title: t.rejectedOf(selected) }]),
    ...(node.dropped === undefined ? [] : [{ ...node.dropped, title: t.droppedOf(selected) }]),
    ...published.map((one) => ({ ...one, title: t.edge(one.from, one.stream, one.to.join(", ") || common.none) }))
  ]
}

const Tests = ({ tests }: { readonly tests: NonNullable<Tried["tests"]> }) => (
  <ul className={own.results}>
    {tests.map(({ name, passed, error, differences }) => (
      <li key={name}>
        <Badge tone={passed ? "good" : "bad"}>{passed ? t.passed : t.failed}</Badge> {name} {error}
        {differences.map(({ pointer, detail, line }) => (
          <p key={pointer} className={own.fault}>
            {line === undefined ? pointer : t.line(line)} {detail}
          </p>
        ))}
      </li>
    ))}
  </ul>
)

/** The result of a try: how it ended, the records of every edge, and remarks. */
const TryResult = ({
  answer,
  selected,
  onSelect,
  isOld
}: {
  readonly answer: Tried
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  readonly isOld: boolean
}) => {
  const parts = selected === undefined ? [] : partsOf(answer, selected)
  const node = answer.nodes.find(({ component }) => component === selected)
  return (
    <div className={own.result}>
      <p role="status">
        <Badge tone={answer.outcome === "succeeded" ? "good" : "bad"}>{t.outcomes[answer.outcome]}</Badge>{" "}
        <span className={css.dim}>{common.duration(answer.millis)}</span>{" "}
        {isOld ? <Badge tone="warn">{t.old}</Badge> : null}
      </p>
      {answer.error === undefined ? null : (
        <p className={own.fault}>
          {answer.component === undefined ? "" : `${answer.component}: `}
          {answer.error}
        </p>
      )}
      {answer.tests === undefined ? null : <Tests tests={answer.tests} />}
      {answer.warnings.length === 0 ? null : (
        <ul className={own.results}>
          {answer.warnings.map((warning) => (
            <li key={warning} className={own.warning}>
              {warning}
            </li>
          ))}
        </ul>
      )}
      <div className={own.edges} role="group" aria-label={t.edges}>
        {answer.edges.map(({ from, stream, to, count }) => {
          const id = to[0] === undefined ? from : edgeId(from, stream, to[0])
          return (
            <button
              key={`${from}\n${stream}`}
              type="button"
              className={own.edge}
              aria-pressed={
                selected !== undefined && (id === selected || to.some((one) => edgeId(from, stream, one) === selected))
              }
              onClick={() => onSelect(id)}
            >
              {from} · {stream} <b>{common.count(count)}</b>
            </button>
          )
        })}
      </div>
      {parts.length === 0 ? <p className={css.dim}>{t.choose}</p> : null}
      {node?.lost === undefined ? null : (
        <p className={own.fault}>{t.lost(node.lost.count, node.lost.reasons.join("; "))}</p>
      )}
      {node?.unmatched?.map(({ pointer, text, line }) => (
        <p key={pointer} className={own.warning}>
          {t.unmatched(text, line)}
        </p>
      ))}
      {parts.map(({ title, count, records, cut }) => (
        <section key={title} aria-label={title} className={own.part}>
          <h3>
            {title} <span className={css.dim}>{cut ? t.firstOf(records.length, count) : common.count(count)}</span>
          </h3>
          {records.length === 0 ? <p className={css.dim}>{t.none}</p> : <Records label={title} records={records} />}
        </section>
      ))}
      {answer.unreferenced.length === 0 ? null : (
        <p className={css.dim}>
          {t.unreferenced} {answer.unreferenced.map(({ component, field }) => `${component}.${field}`).join(", ")}
        </p>
      )}
      {answer.printed.length === 0 ? null : (
        <Code label={t.printed}>{answer.printed.map(({ component, text }) => `${component}: ${text}`).join("\n")}</Code>
      )}
    </div>
  )
}

export default TryResult
