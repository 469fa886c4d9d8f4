import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Scan } from "./Scan.ts"

export const ScanHttp = HttpApiBuilder.group(
  Api,
  "scan",
  Effect.fn(function* (handlers) {
    const scan = yield* Scan
    return handlers
      .handle("all", ({ params }) => scan.all(TenantId(params.tenant)))
      .handle("analytics", ({ params }) => scan.nodes(TenantId(params.tenant), "analytics"))
      .handle("pybatch", ({ params }) => scan.nodes(TenantId(params.tenant), "pybatch"))
      .handle("stream", ({ params }) => scan.nodes(TenantId(params.tenant), "stream"))
      .handle("reset", ({ params }) => scan.reset(TenantId(params.tenant)))
  })
)
