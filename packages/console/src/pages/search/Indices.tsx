import { useMemo, useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { addressOf } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { countColumn, sizeColumn, timeWidth } from "../../parts/columns.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { common, search as t } from "../../texts/en.ts"
import type { Index } from "./Request.ts"
import { queryOf } from "./State.ts"

/** Deletes an index or its older documents. */
const RemoveIndex = ({
  tenant,
  index: { name, documents },
  again,
  close
}: {
  readonly tenant: string
  readonly index: Index
  readonly again: () => void
  readonly close: () => void
}) => {
  const [before, setBefore] = useState("")
  const act = async () => {
    const query = before.trim() === "" ? {} : { before: before.trim() }
    await answering(() => gateway.search.removeIndex({ params: { tenant, index: name }, query }))
    toast(before === "" ? t.indexRemoved(name) : t.documentsRemoved(name, before))
    again()
  }
  return (
    <Confirm title={t.removeIndex(name)} action={common.remove} act={act} close={close}>
      <p>{t.removeIndexHelp(documents)}</p>
      <label className={shared.field}>
        {t.before}
        <input
          value={before}
          placeholder="now-30d/d"
          spellCheck={false}
          onChange={({ target }) => setBefore(target.value)}
        />
        <small>{t.beforeHelp}</small>
      </label>
    </Confirm>
  )
}

/** The tenant's indices with their sizes. */
export const Indices = ({
  tenant,
  indices,
  again
}: {
  readonly tenant: string
  readonly indices: ReadonlyArray<Index>
  readonly again: () => void
}) => {
  const [removing, setRemoving] = useState<Index>()
  const mayRemove = useMay("developer")
  const columns = useMemo(
    (): ReadonlyArray<Column<Index>> => [
      { id: "name", title: t.index, value: ({ name }) => name, cell: ({ name }) => name, width: "minmax(160px, 2fr)" },
      countColumn({ id: "documents", title: t.documentsTitle, width: "110px" }, ({ documents }) => documents),
      sizeColumn({ id: "bytes", title: t.size, width: "100px" }, ({ bytes }) => bytes),
      {
        id: "from",
        title: t.first,
        value: ({ from }) => from ?? "",
        cell: ({ from }) => <Time at={from} />,
        width: timeWidth
      },
      { id: "to", title: t.last, value: ({ to }) => to ?? "", cell: ({ to }) => <Time at={to} />, width: timeWidth },
      ...(mayRemove
        ? [
            {
              id: "remove",
              title: t.actions,
              cell: (index: Index) => (
                <Button
                  className={look.button!}
                  aria-label={t.removeIndex(index.name)}
                  onPress={() => setRemoving(index)}
                >
                  {common.remove}
                </Button>
              ),
              width: "90px"
            }
          ]
        : [])
    ],
    [mayRemove]
  )
  return (
    <>
      <p className={shared.dim}>
        {t.indicesTotal(
          indices.length,
          indices.reduce((sum, { documents }) => sum + documents, 0),
          common.bytes(indices.reduce((sum, { bytes }) => sum + bytes, 0))
        )}
      </p>
      <Table
        label={t.indices}
        columns={columns}
        rows={indices}
        keyOf={({ name }) => name}
        to={({ name }) => addressOf(["search"], queryOf({ index: name }))}
      />
      {removing === undefined ? null : (
        <RemoveIndex tenant={tenant} index={removing} again={again} close={() => setRemoving(undefined)} />
      )}
    </>
  )
}
