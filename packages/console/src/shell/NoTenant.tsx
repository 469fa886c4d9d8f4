import { Frame } from "../parts/Frame.tsx"
import { login } from "../texts/en.ts"

/** Shown to a user who may see no tenant. */
const NoTenant = () => (
  <Frame title={login.noTenant}>
    <p>{login.none}</p>
  </Frame>
)

export default NoTenant
