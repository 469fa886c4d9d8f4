import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { ForEveryTenant, IsFixed, NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { Authorization } from "../shared/security/Security.ts"

export const TenantResponse = Schema.Struct({
  tenant: Schema.String.annotate({ description: "Default tenant in the gateway's settings" })
}).annotate({ identifier: "TenantResponse" })

const count = (description: string) => Schema.Int.annotate({ description })
const limit = (description: string) => Schema.NullOr(Schema.Finite).annotate({ description })

export const InstallationResponse = Schema.Struct({
  version: Schema.String.annotate({ description: "Version of the gateway that answers" }),
  gateways: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "`<host>:<pid>`, as jobs and executions name it" }),
      address: Schema.NullOr(Schema.String).annotate({
        description: "Where the other gateways reach it; null without `FLOW_CLUSTER`"
      }),
      seenAt: Schema.String.annotate({ description: "Time of its last heartbeat" }),
      answering: Schema.Boolean.annotate({ description: "Whether it is the one that answers" }),
      executions: count("Executions that run there"),
      jobs: count("Jobs of channels that run there")
    })
  ),
  retention: Schema.Struct({
    mode: Schema.Literals(["on", "dry-run", "off"]),
    nextRoundAt: Schema.NullOr(Schema.String).annotate({
      description: "When the gateway that answers looks for old history next; null when retention is off"
    }),
    keeps: Schema.Array(
      Schema.Struct({
        kind: Schema.Literals(["executions", "archives", "versions", "audit", "documents"]),
        setting: Schema.String.annotate({ description: "The setting that has the rule" }),
        ageSeconds: limit("What is older is deleted; null for no such limit"),
        number: limit("How many are kept for each tenant; versions for each name"),
        bytes: limit("How many bytes are kept for each tenant")
      })
    )
  })
}).annotate({ identifier: "InstallationResponse" })

export class PlatformApi extends HttpApiGroup.make("platform")
  .add(
    HttpApiEndpoint.get("properties", "/v1/platform/properties", {
      success: Schema.Record(Schema.String, Schema.Unknown),
      error: StorageUnreachable
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Gets the platform properties; secrets are masked"),
    HttpApiEndpoint.get("tenant", "/v1/platform/tenant", { success: TenantResponse })
      .annotate(NeededRole, "viewer")
      .annotate(IsFixed, true)
      .annotate(OpenApi.Summary, "Gets the default tenant of the gateway"),
    HttpApiEndpoint.get("installation", "/v1/platform/installation", {
      success: InstallationResponse,
      error: StorageUnreachable
    })
      .annotate(NeededRole, "admin")
      .annotate(ForEveryTenant, true)
      .annotate(OpenApi.Summary, "Gets the gateways that share the database, and what retention keeps")
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Platform" })) {}
