import { useMemo, useState } from "react"
import { listPause, useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { addressOf } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CopyableCode } from "../../parts/CopyableCode.tsx"
import { countColumn, sizeColumn, timeColumn } from "../../parts/columns.tsx"
import { Empty, Frame } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { common, runs as t } from "../../texts/en.ts"
import type { ArchiveEntry } from "./models.ts"
import css from "./runs.module.css"
import { flowlineColumn, useNames } from "./useNames.ts"
import { listViews } from "./views.ts"

/** The archives of runs. */
const ArchiveList = ({ tenant }: { readonly tenant: string }) => {
  const mayRemove = useMay("developer")
  const [removing, setRemoving] = useState<ArchiveEntry>()
  const { value, error, again } = useAnswer(
    tenant === "" ? undefined : (signal) => gateway.archives.list({ params: { tenant }, query: {} }, { signal }),
    [tenant],
    listPause(5000)
  )
  const names = useNames(tenant, value?.map(({ flowlineId }) => flowlineId) ?? [])
  // The answer starts with the oldest.
  const rows = useMemo(() => value?.toReversed() ?? [], [value])
  const columns = useMemo(
    (): ReadonlyArray<Column<ArchiveEntry>> => [
      timeColumn({ id: "created", title: t.archives.made }, ({ createdAt }) => createdAt),
      flowlineColumn(names),
      countColumn({ id: "entries", title: t.archives.entries }, ({ entries }) => entries),
      sizeColumn({ id: "size", title: common.size }, ({ size }) => size),
      {
        id: "sha256",
        title: common.sha256,
        cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 16)}…</code>,
        width: "170px"
      },
      {
        id: "actions",
        title: common.actions,
        cell: (archive) => (
          <span className={css.rowActions}>
            <a
              href={`${gatewayBase}v1/${encodeURIComponent(tenant)}/archives/${encodeURIComponent(archive.id)}`}
              download
              aria-label={t.archives.download(archive.id)}
            >
              {common.download}
            </a>
            <Button
              className={look.button!}
              aria-label={t.archives.remove(archive.id)}
              isDisabled={!mayRemove}
              onPress={() => setRemoving(archive)}
            >
              {common.remove}
            </Button>
          </span>
        ),
        width: "170px"
      }
    ],
    [names, tenant, mayRemove]
  )
  return (
    <Frame title={t.views.archives} above={{ title: t.title, to: addressOf(["runs"]) }} views={listViews("archives")}>
      <Problem error={error} again={again} />
      {value !== undefined && rows.length === 0 ? (
        <Empty title={t.archives.none}>
          <p>{t.archives.noneHelp}</p>
          <CopyableCode text={t.archives.example} />
        </Empty>
      ) : (
        <>
          <Table
            label={t.views.archives}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            to={({ flowlineId, id }) => addressOf(["runs", flowlineId, id], { view: "archive" })}
          />
          <p role="status" className={css.note}>
            {value === undefined
              ? error === undefined
                ? common.loading
                : null
              : t.archives.shown(rows.length, common.bytes(rows.reduce((sum, { size }) => sum + size, 0)))}
          </p>
        </>
      )}
      {removing === undefined ? null : (
        <Confirm
          title={t.archives.removeTitle}
          action={common.remove}
          act={() => answering(() => gateway.archives.remove({ params: { tenant, id: removing.id } })).then(again)}
          close={() => setRemoving(undefined)}
        >
          <p>{t.archives.removeHelp(removing.id, common.bytes(removing.size))}</p>
        </Confirm>
      )}
    </Frame>
  )
}

export default ArchiveList
