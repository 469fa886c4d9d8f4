import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { isInstant } from "../../languages/TimestampText.ts"
import { pageQuery } from "../shared/reads/Listing.ts"
import { ForEveryTenant, NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { choice, queryText, text } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { AuditEntry, Outcome, outcomes } from "./Entry.ts"

const time = (description: string) =>
  text({ description, example: "2026-01-01T00:00:00Z" }, { format: "date-time" }).check(
    Schema.makeFilter((given: string) =>
      isInstant(given) ? undefined : "Expected a time with its offset, such as 2026-01-01T00:00:00Z"
    )
  )

const query = {
  from: Schema.optionalKey(time("Only rows of this time and later")),
  to: Schema.optionalKey(time("Only rows before this time")),
  principal: Schema.optionalKey(queryText(1024, { description: "Only rows of this principal", example: "user:alice" })),
  action: Schema.optionalKey(queryText(1024, { description: "Only rows of this action", example: "flowlines.save" })),
  target: Schema.optionalKey(
    queryText(2048, { description: "Only rows of this target", example: "4kQz0vWbT1mXr8sYh2Lc" })
  ),
  outcome: Schema.optionalKey(
    text({ description: "Only rows of this outcome", example: "refused" }, { enum: outcomes }).pipe(
      Schema.decodeTo(Outcome)
    )
  ),
  order: Schema.optionalKey(
    choice(["oldest", "newest"], { description: "Which come first: by default the oldest", example: "newest" })
  ),
  ...pageQuery
}

const answers = { success: Schema.Array(AuditEntry), error: [BadRequest, Overloaded, StorageUnreachable] } as const

const TenantAudit = HttpApiEndpoint.get("list", "/v1/:tenant/audit", { params: tenantParams, query, ...answers })
  .annotate(NeededRole, "admin")
  .annotate(OpenApi.Summary, "Lists who changed what in the tenant, and who was refused, by default the oldest first")
  .middleware(Authorization)
  .middleware(KnownTenant)

const PlatformAudit = HttpApiEndpoint.get("platform", "/v1/platform/audit", { query, ...answers })
  .annotate(NeededRole, "admin")
  .annotate(ForEveryTenant, true)
  .annotate(
    OpenApi.Summary,
    "Lists who changed what that belongs to no tenant, and who was refused, by default the oldest first"
  )
  .middleware(Authorization)

export class AuditApi extends HttpApiGroup.make("audit")
  .add(TenantAudit, PlatformAudit)
  .annotateMerge(OpenApi.annotations({ title: "Audit" })) {}
