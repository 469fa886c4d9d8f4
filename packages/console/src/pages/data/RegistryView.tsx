import { useState } from "react"
import { gatewayBase } from "../../app/base.ts"
import type { gateway } from "../../app/gateway.ts"
import { useListing } from "../../app/listing.ts"
import { useMay } from "../../app/session.ts"
import { countColumn, timeColumn } from "../../parts/columns.tsx"
import { LaterDialog } from "../../parts/Later.tsx"
import type { Column } from "../../parts/Table.tsx"
import { parentOf } from "../../parts/treeRows.ts"
import { common, data } from "../../texts/en.ts"
import { useChanges } from "./changes.ts"
import { DropZone } from "./DropZone.tsx"
import { EmptyList } from "./MasterDetail.tsx"
import { parts } from "./parts.ts"
import { RegistryDetail } from "./RegistryDetail.tsx"
import { TreeMasterDetail } from "./TreeMasterDetail.tsx"
import { UploadButton } from "./UploadButton.tsx"
import { useAddress } from "./useAddress.ts"

const t = data.registry

type Entry = Awaited<ReturnType<typeof gateway.registry.list>>[number]

const pathOf = ({ name }: Entry): string => name

const columns: ReadonlyArray<Column<Entry>> = [
  countColumn({ id: "version", title: common.version, width: "minmax(60px, 80px)" }, ({ version }) => version),
  timeColumn({ id: "updated", title: t.updated }, ({ updateTime }) => updateTime),
  timeColumn({ id: "created", title: common.created }, ({ creationTime }) => creationTime)
]

const command = (tenant: string) => `echo 'status,reason' > table.csv
curl -F file=@table.csv -F path=tables/status.csv ${gatewayBase}v1/${tenant}/registry`

interface Uploading {
  readonly files: ReadonlyArray<File>
  /** The path that gets another version. */
  readonly like?: string
}

export const RegistryView = ({ tenant }: { readonly tenant: string }) => {
  const address = useAddress("registry")
  const { path, to } = address
  const mayUpload = useMay("developer")
  const changes = useChanges()
  const [uploading, setUploading] = useState<Uploading>()
  const listing = useListing<Entry>(`v1/${encodeURIComponent(tenant)}/registry`, {}, [changes], (row) => row)
  return (
    <DropZone onFiles={mayUpload ? (files) => setUploading({ files }) : undefined}>
      <TreeMasterDetail
        label={t.label}
        address={address}
        listing={listing}
        pathOf={pathOf}
        columns={columns}
        actions={mayUpload ? <UploadButton onPress={() => setUploading({ files: [] })} /> : null}
        empty={
          <EmptyList
            title={t.empty}
            text={t.emptyText}
            how={`${data.dropHere} ${data.emptyHow}`}
            command={command(tenant)}
          />
        }
        open={
          path === undefined ? undefined : (
            <RegistryDetail
              key={path}
              tenant={tenant}
              path={path}
              to={to}
              upload={mayUpload ? () => setUploading({ files: [], like: path }) : undefined}
            />
          )
        }
      />
      {uploading === undefined ? null : (
        <LaterDialog
          load={parts.registry}
          props={{
            tenant,
            ...uploading,
            folder: parentOf(path ?? "") ?? "",
            to,
            close: () => setUploading(undefined)
          }}
        />
      )}
    </DropZone>
  )
}
