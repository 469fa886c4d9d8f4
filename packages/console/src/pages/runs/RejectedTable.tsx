import { useMemo, useState } from "react"
import { type Column, Table } from "../../parts/Table.tsx"
import { visible, visibleLines } from "../../parts/values.ts"
import { runs as t } from "../../texts/en.ts"
import type { Rejected } from "./failures.ts"
import css from "./runs.module.css"

const mostUnits = 400
const mostShown = 20_000

/** The text of a record, split where its pattern stopped matching. */
const Reached = ({ text, matchedUpTo }: Pick<Rejected, "text" | "matchedUpTo">) =>
  matchedUpTo === undefined ? (
    <code>{visible(text.slice(0, mostUnits))}</code>
  ) : (
    <code>
      <span className={css.reached}>{visible(text.slice(0, matchedUpTo))}</span>
      <span className={css.rest}>{visible(text.slice(matchedUpTo, matchedUpTo + mostUnits))}</span>
    </code>
  )

/** Rejected records: the origin of each, the reason, and how far its pattern matched. */
export const RejectedTable = ({ label, rows }: { readonly label: string; readonly rows: ReadonlyArray<Rejected> }) => {
  const [key, setKey] = useState<string>()
  const chosen = rows.find((row) => row.key === key)
  const columns = useMemo(
    (): ReadonlyArray<Column<Rejected>> => [
      ...(rows.some(({ place }) => place !== "")
        ? [
            {
              id: "place",
              title: t.failed.place,
              value: ({ place }: Rejected) => place,
              cell: ({ place }: Rejected) => visible(place),
              width: "minmax(140px, 1fr)"
            }
          ]
        : []),
      {
        id: "reason",
        title: t.failed.why,
        value: ({ reason }) => reason,
        cell: ({ reason, failedAt }) => (
          <>
            {visible(reason)} {failedAt === undefined ? null : <code>{visible(failedAt)}</code>}
          </>
        ),
        width: "minmax(180px, 1.2fr)"
      },
      {
        id: "text",
        title: t.failed.record,
        value: ({ text }) => text,
        cell: (row) => <Reached {...row} />,
        width: "minmax(260px, 3fr)"
      }
    ],
    [rows]
  )
  return (
    <>
      <Table
        label={label}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.key}
        current={key}
        onOpen={(row) => setKey(row.key)}
      />
      {chosen === undefined ? null : (
        <section className={css.card} aria-label={t.failed.record}>
          {chosen.detail === undefined ? null : <p>{visible(chosen.detail)}</p>}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
          <pre className={css.whole} tabIndex={0}>
            {visibleLines(JSON.stringify(chosen.record, null, 2).slice(0, mostShown))}
          </pre>
        </section>
      )}
    </>
  )
}
