import type { ComponentType } from "react"
import { addressOf, usePath } from "../../app/location.ts"
import { type Role, useMay, useMayEverywhere } from "../../app/session.ts"
import { useTenant } from "../../app/tenant.ts"
import { useTitle } from "../../app/title.ts"
import { Frame, NoPage } from "../../parts/Frame.tsx"
import css from "../../parts/pages.module.css"
import parts from "../../parts/parts.module.css"
import { admin as t } from "../../texts/en.ts"
import { Audit } from "./Audit.tsx"
import { Gateways } from "./Gateways.tsx"
import { Keys } from "./Keys.tsx"
import { Limits } from "./Limits.tsx"
import { Retention } from "./Retention.tsx"
import { Secrets } from "./Secrets.tsx"

interface View {
  readonly path: keyof typeof t.views
  readonly role: Role
  /** Whether the role must cover all tenants. */
  readonly isOverall?: boolean
  readonly Content: ComponentType<{ readonly tenant: string }>
}

const views: ReadonlyArray<View> = [
  { path: "limits", role: "viewer", Content: Limits },
  { path: "keys", role: "admin", Content: Keys },
  { path: "secrets", role: "developer", Content: Secrets },
  { path: "audit", role: "admin", Content: Audit },
  { path: "gateways", role: "viewer", Content: Gateways },
  { path: "retention", role: "admin", isOverall: true, Content: Retention }
]

/** Administration of the tenant and the gateways. Each view is shown to readers with its role. */
const AdminPage = () => {
  const [, name = "limits", ...more] = usePath()
  const tenant = useTenant()
  const mayAs: Readonly<Record<Role, boolean>> = {
    viewer: useMay("viewer"),
    operator: useMay("operator"),
    developer: useMay("developer"),
    admin: useMay("admin")
  }
  const isOwner = useMayEverywhere("admin")
  const may = ({ role, isOverall = false }: View) => (isOverall ? isOwner : mayAs[role])
  const view = more.length === 0 ? views.find(({ path }) => path === name) : undefined
  useTitle(view === undefined ? t.title : t.views[view.path])
  return (
    <Frame
      title={t.title}
      views={views
        .filter((one) => may(one) || one === view)
        .map(({ path }) => ({ title: t.views[path], to: addressOf(["admin", path]), current: path === view?.path }))}
    >
      {view === undefined ? null : <h2 className={parts.hidden}>{t.views[view.path]}</h2>}
      {view === undefined ? (
        <NoPage />
      ) : !may(view) ? (
        <p className={css.problem}>{view.isOverall ? t.needsOverall(view.role) : t.needs(view.role)}</p>
      ) : tenant === "" ? null : (
        <view.Content key={tenant} tenant={tenant} />
      )}
    </Frame>
  )
}

export default AdminPage
