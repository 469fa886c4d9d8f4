import type { ComponentType, ReactNode } from "react"
import { addressOf, usePath } from "../app/location.ts"
import { useTenant } from "../app/tenant.ts"
import { Frame, NoPage } from "./Frame.tsx"

/**
 * A page that shows a tenant in several views, each with an address below the page's. The page's address shows the
 * first view.
 */
export const TenantViews = ({
  page,
  title,
  views,
  children
}: {
  /** The first segments of the addresses. */
  readonly page: string
  readonly title: string
  readonly views: ReadonlyArray<{
    readonly name: string
    readonly title: string
    readonly Content: ComponentType<{ readonly tenant: string }>
  }>
  /** Shown above each view. */
  readonly children?: ReactNode
}) => {
  const tenant = useTenant()
  const [, view] = usePath()
  const current = view === undefined ? views[0] : views.find(({ name }) => name === view)
  return (
    <Frame
      title={title}
      views={views.map((one) => ({ title: one.title, to: addressOf([page, one.name]), current: one === current }))}
    >
      {children}
      {current === undefined ? <NoPage /> : tenant === "" ? null : <current.Content key={tenant} tenant={tenant} />}
    </Frame>
  )
}
