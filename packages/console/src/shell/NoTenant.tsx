import { Frame } from "../parts/Frame.tsx"
import { visible } from "../parts/values.ts"
import { login } from "../texts/en.ts"

/** Shown to a user who may see no tenant, or not the one that the address names. */
const NoTenant = ({ unseen }: { readonly unseen?: string | undefined }) =>
  unseen === undefined ? (
    <Frame title={login.noTenant}>
      <p>{login.none}</p>
    </Frame>
  ) : (
    <Frame title={login.unseen}>
      <p>{login.unseenWhy(visible(unseen))}</p>
    </Frame>
  )

export default NoTenant
