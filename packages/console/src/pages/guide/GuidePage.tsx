import { useEarly } from "../../parts/Later.tsx"
import { TenantViews } from "../../parts/TenantViews.tsx"
import { guide as t } from "../../texts/en.ts"
import { ConfigurationView } from "./ConfigurationView.tsx"
import { DocumentationView } from "./DocumentationView.tsx"
import { PlatformView } from "./PlatformView.tsx"

const views = [
  { name: "documentation", title: t.views.documentation, Content: DocumentationView },
  { name: "configuration", title: t.views.configuration, Content: ConfigurationView },
  { name: "platform", title: t.views.platform, Content: PlatformView }
]

/** Components that are loaded on first use. */
const parts = [
  () => import("../../parts/preview/TextView.tsx"),
  () => import("../../parts/preview/FilePreview.tsx"),
  () => import("./SearchResults.tsx"),
  () => import("./syntax.ts")
]

/** The tenant's documentation and configuration. */
const GuidePage = () => {
  useEarly(parts)
  return <TenantViews page="guide" title={t.title} views={views} />
}

export default GuidePage
