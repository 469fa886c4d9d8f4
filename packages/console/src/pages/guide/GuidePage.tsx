import { addressOf, usePath } from "../../app/location.ts"
import { useTenant } from "../../app/tenant.ts"
import { Frame } from "../../parts/Frame.tsx"
import { useEarly } from "../../parts/Later.tsx"
import { guide as t } from "../../texts/en.ts"
import { ConfigurationView } from "./ConfigurationView.tsx"
import { DocumentationView } from "./DocumentationView.tsx"
import { PlatformView } from "./PlatformView.tsx"

const views = { documentation: DocumentationView, configuration: ConfigurationView, platform: PlatformView }
const names = ["documentation", "configuration", "platform"] as const

/** What is loaded when it is used. */
const parts = [
  () => import("../../parts/preview/TextView.tsx"),
  () => import("../../parts/preview/FilePreview.tsx"),
  () => import("./SearchResults.tsx"),
  () => import("./syntax.ts")
]

/** What a tenant is told and what it is made of: its documentation and its configuration. */
const GuidePage = () => {
  useEarly(parts)
  const tenant = useTenant()
  const [, view = "documentation"] = usePath()
  const current = names.find((name) => name === view) ?? "documentation"
  const View = views[current]
  return (
    <Frame
      title={t.title}
      views={names.map((name) => ({
        title: t.views[name],
        to: addressOf(["guide", name]),
        current: name === current
      }))}
    >
      {tenant === "" ? null : <View key={tenant} tenant={tenant} />}
    </Frame>
  )
}

export default GuidePage
