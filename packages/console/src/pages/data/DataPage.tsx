import { useEarly } from "../../parts/Later.tsx"
import { TenantViews } from "../../parts/TenantViews.tsx"
import { data as t } from "../../texts/en.ts"
import { ArtifactsView } from "./ArtifactsView.tsx"
import { FilesView } from "./FilesView.tsx"
import { parts } from "./parts.ts"
import { RegistryView } from "./RegistryView.tsx"
import { ResourcesView } from "./ResourcesView.tsx"
import { Uploads } from "./Uploads.tsx"

const views = [
  { name: "artifacts", title: t.views.artifacts, Content: ArtifactsView },
  { name: "resources", title: t.views.resources, Content: ResourcesView },
  { name: "registry", title: t.views.registry, Content: RegistryView },
  { name: "files", title: t.views.files, Content: FilesView }
]

/** The stored data of a tenant: artifacts, stored resources, the registry, and the files written by runs. */
const DataPage = () => {
  useEarly(Object.values(parts))
  return (
    <TenantViews page="data" title={t.title} views={views}>
      <Uploads />
    </TenantViews>
  )
}

export default DataPage
