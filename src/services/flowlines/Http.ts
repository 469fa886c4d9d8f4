import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { listResponse } from "../http/Paging.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Flowlines } from "./Flowlines.ts"
import { savedFlowlines } from "./SavedHttp.ts"
import { starts } from "./StartHttp.ts"
import { tryEndpoint } from "./TryHttp.ts"
import { savedVersions } from "./VersionHttp.ts"
import { FlowlineVersions } from "./versions/FlowlineVersions.ts"

export const FlowlinesHttp = HttpApiBuilder.group(
  Api,
  "flowlines",
  Effect.fn(function* (handlers) {
    const flowlines = yield* Flowlines
    const versions = yield* FlowlineVersions
    const saved = yield* savedFlowlines
    const version = yield* savedVersions
    const { executeOnce, execute } = yield* starts
    const { tryOut } = yield* tryEndpoint

    return handlers
      .handle("list", ({ params, query }) =>
        listResponse("flowlines", TenantId(params.tenant), query, (span) =>
          flowlines.list(TenantId(params.tenant), span)
        )
      )
      .handleRaw("save", ({ params, query, request }) =>
        saved.save(
          TenantId(params.tenant),
          request,
          query.id === undefined ? undefined : FlowlineId(query.id),
          query.test === true
        )
      )
      .handleRaw("executeOnce", ({ params, request }) => executeOnce(TenantId(params.tenant), request))
      .handleRaw("tryOut", ({ params, request }) => tryOut(TenantId(params.tenant), request))
      .handleRaw("get", ({ params, query, request }) =>
        saved.get(TenantId(params.tenant), request, FlowlineId(params.id), query.version)
      )
      .handleRaw("execute", ({ params, query, request }) =>
        execute(TenantId(params.tenant), request, FlowlineId(params.id), query.version)
      )
      .handle("versions", ({ params, query }) =>
        Effect.flatMap(versions.list(TenantId(params.tenant), FlowlineId(params.id)), (rows) =>
          listResponse(`versions of ${params.id}`, TenantId(params.tenant), query, rows)
        )
      )
      .handleRaw("version", ({ params }) => version.get(params))
      .handleRaw("file", ({ params, request }) => version.getFile(params, request))
      .handleRaw("diff", ({ params }) => version.diff(params))
      .handleRaw("restore", ({ params, request }) => version.restore(params, request))
      .handle("remove", ({ params, request }) => saved.remove(TenantId(params.tenant), request, FlowlineId(params.id)))
  })
)
