import { type Role, roles, type Session, useRights } from "./login.ts"
import { useTenant } from "./tenant.ts"

export { type Role, roles } from "./login.ts"

const roleIn = ({ tenants, everyTenant }: Session, tenant: string): Role =>
  tenants.find(({ name }) => name === tenant)?.role ?? everyTenant ?? "viewer"

/** The user's role for the tenant. Without an access file everybody may do everything. */
export const useRole = (): Role => {
  const session = useRights()
  const tenant = useTenant()
  return session?.authentication ? roleIn(session, tenant) : "admin"
}

const includes = (role: Role | null, needed: Role): boolean =>
  role !== null && roles.indexOf(role) >= roles.indexOf(needed)

/** Whether the user has at least this role for the tenant. */
export const useMay = (needed: Role): boolean => includes(useRole(), needed)

/** Whether the user has at least this role for every tenant, which is needed for what belongs to no tenant. */
export const useMayEverywhere = (needed: Role): boolean => {
  const session = useRights()
  return !session?.authentication || includes(session.everyTenant, needed)
}
