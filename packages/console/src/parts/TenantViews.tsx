import type { ComponentType, ReactNode } from "react"
import { addressOf, usePath } from "../app/location.ts"
import { useTenant } from "../app/tenant.ts"
import { Frame } from "./Frame.tsx"

/** A page that shows a tenant in views, each at an address below that of the page; the first one at that too. */
export const TenantViews = ({
  page,
  title,
  views,
  children
}: {
  /** The first part of the addresses. */
  readonly page: string
  readonly title: string
  readonly views: ReadonlyArray<{
    readonly name: string
    readonly title: string
    readonly Content: ComponentType<{ readonly tenant: string }>
  }>
  /** What stands above each view. */
  readonly children?: ReactNode
}) => {
  const tenant = useTenant()
  const [, view] = usePath()
  const current = views.find(({ name }) => name === view) ?? views[0]!
  return (
    <Frame
      title={title}
      views={views.map((one) => ({ title: one.title, to: addressOf([page, one.name]), current: one === current }))}
    >
      {children}
      {tenant === "" ? null : <current.Content key={tenant} tenant={tenant} />}
    </Frame>
  )
}
