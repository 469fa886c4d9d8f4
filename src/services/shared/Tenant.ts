import { Brand, Context, type Effect, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { text } from "./requests/Parameters.ts"

/** A tenant's name: at most 63 letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
const tenantName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
const tenantNamed = (description: string) =>
  text({ description, example: "mytenant" }, { pattern: tenantName.source }).check(
    Schema.isPattern(tenantName, { expected: "a tenant name" })
  )

export const TenantName = tenantNamed("Tenant name")

/** The tenant whose files a request takes into account. */
export const TenantOfFiles = tenantNamed(
  "Tenant whose grok patterns are available to the test; the default tenant if absent"
)

/** The tenant that something belongs to. The constructor checks nothing: requests are checked by `KnownTenant`. */
export type TenantId = Brand.Branded<string, "TenantId">
export const TenantId = Brand.nominal<TenantId>()

/** The path parameters of endpoints below `/v1/:tenant`. */
export const tenantParams = { tenant: TenantName }

/** The tenants of the configuration. */
export class Tenants extends Context.Service<
  Tenants,
  {
    readonly exists: (name: string) => Effect.Effect<boolean, StorageUnreachable>
    readonly names: Effect.Effect<ReadonlyArray<TenantId>, StorageUnreachable>
  }
>()("flow/shared/Tenants") {}

/** Rejects a request below `/v1/{tenant}` whose tenant is not configured, before anything else is checked. */
export class KnownTenant extends HttpApiMiddleware.Service<KnownTenant>()("flow/shared/KnownTenant", {
  error: [BadRequest, NotFound, StorageUnreachable]
}) {}
