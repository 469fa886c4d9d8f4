import { useMemo, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { gateway } from "../../app/gateway.ts"
import { useListing } from "../../app/listing.ts"
import { usePath } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { sizeColumn, timeColumn } from "../../parts/columns.tsx"
import { LaterDialog } from "../../parts/Later.tsx"
import pages from "../../parts/pages.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { visible } from "../../parts/values.ts"
import { common, data } from "../../texts/en.ts"
import type { Artifact } from "./Artifact.ts"
import { ArtifactDetail } from "./ArtifactDetail.tsx"
import { useChanges } from "./changes.ts"
import { DropZone } from "./DropZone.tsx"
import css from "./data.module.css"
import { EmptyList, MasterDetail } from "./MasterDetail.tsx"
import { parts } from "./parts.ts"
import { UploadButton } from "./UploadButton.tsx"
import { useAddress } from "./useAddress.ts"

const t = data.artifacts

/** The list needs no contents, which may be 64 KiB each. */
const withoutContent = ({ content: _, readme: _readme, ...artifact }: Artifact): Artifact => artifact

const columns: ReadonlyArray<Column<Artifact>> = [
  {
    id: "artifact",
    title: t.artifact,
    value: ({ artifact }) => artifact,
    cell: ({ artifact }) => visible(artifact),
    width: "minmax(150px, 2fr)"
  },
  {
    id: "group",
    title: t.group,
    value: ({ group }) => group,
    cell: ({ group }) => visible(group),
    width: "minmax(120px, 2fr)"
  },
  { id: "version", title: common.version, value: ({ version }) => version, cell: ({ version }) => visible(version) },
  { id: "type", title: t.type, value: ({ type }) => type, cell: ({ type }) => type, width: "minmax(130px, 1fr)" },
  sizeColumn({ id: "size", title: common.size }, ({ size }) => size),
  timeColumn({ id: "uploaded", title: t.uploaded }, ({ createdAt }) => createdAt),
  {
    id: "description",
    title: t.description,
    cell: ({ description = "" }) => visible(description),
    width: "minmax(160px, 3fr)"
  }
]

const narrow = columns.filter(({ id }) => ["artifact", "version", "type", "size"].includes(id))

const command = (tenant: string) => `cat > manifest.yaml <<'END'
group: org.example
artifact: greeting
version: 1.0.0
type: FILE
END
echo hello > greeting.txt
curl -X PUT -F input=@greeting.txt -F manifest=@manifest.yaml ${gatewayBase}v1/${tenant}/resources/upload`

interface Uploading {
  readonly files: ReadonlyArray<File>
  readonly like?: Artifact
}

export const ArtifactsView = ({ tenant }: { readonly tenant: string }) => {
  const [, , group, artifact] = usePath()
  const address = useAddress("artifacts")
  const { query, type, setType, all, setAll, to } = address
  const mayUpload = useMay("developer")
  const changes = useChanges()
  const [uploading, setUploading] = useState<Uploading>()
  const filters = { ...(all === "" ? {} : { all: "true" }), ...(type === "" ? {} : { type }) }
  const path = `v1/${encodeURIComponent(tenant)}/resources/list`
  const listing = useListing<Artifact>(path, filters, [changes], withoutContent)
  const types = useAnswer((signal) => gateway.resources.types({ params: { tenant } }, { signal }), [tenant])
  const rows = useMemo(() => {
    const sought = query.toLowerCase()
    return (listing.rows ?? []).filter((row) => `${row.group}:${row.artifact}`.toLowerCase().includes(sought))
  }, [listing.rows, query])
  const isOpen = group !== undefined && artifact !== undefined
  const isEmpty = listing.rows?.length === 0 && type === "" && !isOpen
  return (
    <DropZone onFiles={mayUpload ? (files) => setUploading({ files }) : undefined}>
      <MasterDetail
        back={to([])}
        address={address}
        listing={listing}
        shown={rows.length}
        filters={
          <>
            <select
              className={pages.input}
              aria-label={t.type}
              value={type}
              onChange={({ target }) => setType(target.value)}
            >
              <option value="">{t.anyType}</option>
              {(types.value ?? []).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
            <label className={css.check}>
              <input
                type="checkbox"
                checked={all !== ""}
                onChange={({ target }) => setAll(target.checked ? "1" : "")}
              />
              {t.all}
            </label>
          </>
        }
        actions={mayUpload ? <UploadButton onPress={() => setUploading({ files: [] })} /> : null}
        empty={
          isEmpty ? (
            <EmptyList
              title={t.empty}
              text={t.emptyText}
              how={`${data.dropHere} ${data.emptyHow}`}
              command={command(tenant)}
            />
          ) : undefined
        }
        list={
          <Table
            label={t.label}
            columns={isOpen ? narrow : columns}
            rows={rows}
            keyOf={(row) => JSON.stringify([row.group, row.artifact, row.version])}
            to={(row) => to([row.group, row.artifact], { version: all === "" ? undefined : row.version })}
          />
        }
        open={
          isOpen ? (
            <ArtifactDetail
              tenant={tenant}
              group={group}
              artifact={artifact}
              to={to}
              upload={mayUpload ? (like) => setUploading({ files: [], like }) : undefined}
            />
          ) : undefined
        }
      />
      {uploading === undefined ? null : (
        <LaterDialog
          load={parts.artifacts}
          props={{ tenant, types: types.value ?? [], ...uploading, to, close: () => setUploading(undefined) }}
        />
      )}
    </DropZone>
  )
}
