import { useState } from "react"
import { gatewayBase } from "../../app/base.ts"
import type { gateway } from "../../app/gateway.ts"
import { useListing } from "../../app/listing.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { countColumn, sizeColumn, timeColumn } from "../../parts/columns.tsx"
import { LaterDialog } from "../../parts/Later.tsx"
import look from "../../parts/parts.module.css"
import type { Column } from "../../parts/Table.tsx"
import { common, data } from "../../texts/en.ts"
import { useChanges } from "./changes.ts"
import { EmptyList } from "./MasterDetail.tsx"
import { parts } from "./parts.ts"
import { ResourceDetail } from "./ResourceDetail.tsx"
import { TreeMasterDetail } from "./TreeMasterDetail.tsx"
import { useAddress } from "./useAddress.ts"

const t = data.resources

export type Resource = Awaited<ReturnType<typeof gateway.stored.list>>[number]

const pathOf = ({ name }: Resource): string => name

const columns: ReadonlyArray<Column<Resource>> = [
  countColumn({ id: "version", title: common.version, width: "minmax(60px, 80px)" }, ({ version }) => version),
  sizeColumn({ id: "size", title: common.size }, ({ size }) => size),
  timeColumn({ id: "changed", title: data.changed }, (row) => row["@timestamp"])
]

const command = (tenant: string) =>
  `curl -X PUT -F url=exports/table.csv ${gatewayBase}v1/${tenant}/resources/register/tables/latest.csv`

export const ResourcesView = ({ tenant }: { readonly tenant: string }) => {
  const address = useAddress("resources")
  const { path: name, to } = address
  const mayChange = useMay("developer")
  const maySweep = useMay("admin")
  const changes = useChanges()
  const [opened, setOpened] = useState<"register" | "sweep">()
  const path = `v1/${encodeURIComponent(tenant)}/resources/stored`
  const listing = useListing<Resource>(path, {}, [changes], (row) => row)
  const close = () => setOpened(undefined)
  return (
    <>
      <TreeMasterDetail
        label={t.label}
        address={address}
        listing={listing}
        pathOf={pathOf}
        columns={columns}
        actions={
          <>
            {maySweep ? (
              <Button className={look.button!} onPress={() => setOpened("sweep")}>
                {t.sweep}
              </Button>
            ) : null}
            {mayChange ? (
              <Button className={look.primary!} onPress={() => setOpened("register")}>
                {t.register}
              </Button>
            ) : null}
          </>
        }
        empty={<EmptyList title={t.empty} text={t.emptyText} how={t.emptyHow} command={command(tenant)} />}
        open={name === undefined ? undefined : <ResourceDetail key={name} tenant={tenant} name={name} to={to} />}
      />
      {opened === "register" ? <LaterDialog load={parts.register} props={{ tenant, to, close, url: "" }} /> : null}
      {opened === "sweep" ? <LaterDialog load={parts.sweep} props={{ tenant, close }} /> : null}
    </>
  )
}
