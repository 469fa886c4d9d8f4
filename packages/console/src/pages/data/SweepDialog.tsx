import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { toast } from "../../app/toasts.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { sizeColumn, timeColumn } from "../../parts/columns.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { common, data } from "../../texts/en.ts"

const t = data.resources

interface Blob {
  readonly sha256: string
  readonly size: number
  readonly storedAt: string
}

const columns: ReadonlyArray<Column<Blob>> = [
  {
    id: "sha256",
    title: common.sha256,
    cell: ({ sha256 }) => <code>{sha256}</code>,
    value: ({ sha256 }) => sha256,
    width: "minmax(160px, 3fr)"
  },
  sizeColumn({ id: "size", title: common.size }, ({ size }) => size),
  timeColumn({ id: "stored", title: t.stored }, ({ storedAt }) => storedAt)
]

/** Shows what a sweep would remove, and removes it after confirmation. */
const SweepDialog = ({ tenant, close }: { readonly tenant: string; readonly close: () => void }) => {
  const { value, error, again } = useAnswer(
    (signal) => gateway.stored.sweep({ params: { tenant }, query: { dryRun: true } }, { signal }),
    [tenant]
  )
  if (value === undefined || value.blobs.length === 0) {
    return (
      <Dialog title={t.sweepTitle} close={close}>
        <p>{t.sweepText}</p>
        {error === undefined ? (
          <p role="status">{value === undefined ? common.loading : t.sweepNone}</p>
        ) : (
          <Problem error={error} again={again} />
        )}
      </Dialog>
    )
  }
  const { blobs, bytes } = value
  const sweep = async () => {
    const removed = await gateway.stored.sweep({ params: { tenant }, query: {} })
    toast(t.swept(removed.blobs.length, removed.bytes))
  }
  return (
    <Confirm title={t.sweepTitle} action={t.sweepAction} act={sweep} close={close}>
      <p>{t.sweepText}</p>
      <p role="status">{t.sweepFound(blobs.length, bytes)}</p>
      <Table label={t.blobs} columns={columns} rows={blobs} keyOf={({ sha256 }) => sha256} />
    </Confirm>
  )
}

export default SweepDialog
