import { addressOf, usePath } from "../../app/location.ts"
import { useTenant } from "../../app/tenant.ts"
import { Frame } from "../../parts/Frame.tsx"
import { useEarly } from "../../parts/Later.tsx"
import { data as t } from "../../texts/en.ts"
import { ArtifactsView } from "./ArtifactsView.tsx"
import { FilesView } from "./FilesView.tsx"
import { parts } from "./parts.ts"
import { RegistryView } from "./RegistryView.tsx"
import { ResourcesView } from "./ResourcesView.tsx"
import { Uploads } from "./Uploads.tsx"

const views = { artifacts: ArtifactsView, resources: ResourcesView, registry: RegistryView, files: FilesView }
const names = ["artifacts", "resources", "registry", "files"] as const

/** What a tenant stores: artifacts, stored resources, the registry, and the files that runs have written. */
const DataPage = () => {
  useEarly(Object.values(parts))
  const tenant = useTenant()
  const [, view = "artifacts"] = usePath()
  const current = names.find((name) => name === view) ?? "artifacts"
  const View = views[current]
  return (
    <Frame
      title={t.title}
      views={names.map((name) => ({
        title: t.views[name],
        to: addressOf(["data", name]),
        current: name === current
      }))}
    >
      <Uploads />
      {tenant === "" ? null : <View key={tenant} tenant={tenant} />}
    </Frame>
  )
}

export default DataPage
