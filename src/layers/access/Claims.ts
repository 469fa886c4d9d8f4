import { Predicate } from "effect"
import type { Issuer } from "../../services/access/AccessFile.ts"
import { type Grants, type Principal, type Role, roles } from "../../services/shared/security/Principal.ts"

type Rules = Issuer["roles"]

/** Maximum length of a subject in characters (OpenID Connect Core, section 2). */
const mostSubject = 255

const member = (value: unknown, name: string): unknown =>
  Predicate.isObject(value) && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined

/**
 * A claim by its name, which may contain dots (`https://example.com/roles`), else by its path (`realm_access.roles`).
 */
const claimAt = (claims: object, path: string): unknown =>
  member(claims, path) ?? path.split(".").reduce<unknown>(member, claims)

/** Claims whose text holds several values, separated by blanks (RFC 8693, section 4.2, and Microsoft's `scp`). */
const separated: ReadonlySet<string> = new Set(["scope", "scp"])

const valuesOf = (claims: object, path: string): ReadonlyArray<unknown> => {
  const found = claimAt(claims, path)
  if (typeof found !== "string") return Array.isArray(found) ? found : []
  return separated.has(path) ? found.split(" ") : [found]
}

/** The roles that the claims of a token give: the highest one for each tenant. */
export const grantsOf = (claims: object, rules: Rules): Grants => {
  const grants = new Map<string, Role>()
  for (const { claim, value, tenant, role } of rules) {
    if (!valuesOf(claims, claim).includes(value)) continue
    const given = grants.get(tenant)
    if (given === undefined || roles.indexOf(role) > roles.indexOf(given)) grants.set(tenant, role)
  }
  return grants
}

/** Subjects become parts of ids that are stored and shown, so two different ones must not look alike. */
const isSubject = (sub: unknown): sub is string =>
  typeof sub === "string" && sub !== "" && sub.length <= mostSubject && sub.isWellFormed() && !/\p{Cc}/u.test(sub)

/** The principal that the claims of a valid token name, with the roles that the issuer's rules give. */
export const principalOfClaims = ({ issuer, roles }: Issuer, claims: Readonly<Record<string, unknown>>) => {
  const { sub } = claims
  if (!isSubject(sub)) return undefined
  const principal: Principal = { id: `token:${issuer}#${sub}`, method: "bearer", grants: grantsOf(claims, roles) }
  return principal
}
