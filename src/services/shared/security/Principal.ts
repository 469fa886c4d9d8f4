import { Context, Schema } from "effect"

/** The roles. Each may do what those before it may. */
export const roles = ["viewer", "operator", "developer", "admin"] as const
export const Role = Schema.Literals(roles)
export type Role = typeof Role.Type

/** All tenants, in grants and in the access file. */
export const everyTenant = "*"

/** The roles of a principal, by tenant; those of {@link everyTenant} count everywhere. */
export type Grants = ReadonlyMap<string, Role>

/** Who sends a request, as far as the gateway has made sure. */
export interface Principal {
  /** Unique among all principals, for limits and the audit: `user:alice`, `key:3f9a…`, `token:<issuer>#<subject>`. */
  readonly id: string
  /** How it was authenticated. `none`: without `FLOW_AUTH`; `internal`: the gateway's own work. */
  readonly method: "none" | "basic" | "key" | "bearer" | "internal"
  readonly grants: Grants
}

/** Whoever sends a request to a gateway without `FLOW_AUTH`. */
export const anonymous: Principal = { id: "anonymous", method: "none", grants: new Map([[everyTenant, "admin"]]) }

/** The gateway's own work, such as retention. It has no grants: no request has it. */
export const gatewayItself: Principal = { id: "gateway", method: "internal", grants: new Map() }

/** The principal of the current request. */
export const CurrentPrincipal = Context.Reference<Principal>("flow/shared/CurrentPrincipal", {
  defaultValue: () => gatewayItself
})

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, developer: 2, admin: 3 }
const rank = (role: Role | undefined): number => (role === undefined ? -1 : ranks[role])

/** Whether the principal has the role, or a higher one, for the tenant. */
export const hasRole = ({ grants }: Principal, tenant: string, role: Role): boolean =>
  Math.max(rank(grants.get(tenant)), rank(grants.get(everyTenant))) >= rank(role)

/** Whether the principal has the role, or a higher one, for any tenant. */
const hasRoleAnywhere = ({ grants }: Principal, role: Role): boolean => {
  for (const given of grants.values()) if (rank(given) >= rank(role)) return true
  return false
}

/** Whether the principal has the role for the tenant; without one, for any tenant. */
export const hasRoleFor = (principal: Principal, tenant: string | undefined, role: Role): boolean =>
  tenant === undefined ? hasRoleAnywhere(principal, role) : hasRole(principal, tenant, role)

/** Whether the principal may know that the tenant exists. */
export const maySee = (principal: Principal, tenant: string): boolean => hasRole(principal, tenant, "viewer")
