import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { selected } from "../http/Accept.ts"
import { listBytes } from "../http/JsonText.ts"
import { wantsLines } from "../http/OutputDocument.ts"
import { listResponse, listStart } from "../http/Paging.ts"
import { withFirstChunk } from "../http/ReadAhead.ts"
import { RequestMemory } from "../shared/capacity/RequestMemory.ts"
import type { PageQuery } from "../shared/reads/Listing.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Audit } from "./Audit.ts"
import type { Chain } from "./AuditStore.ts"
import type { Outcome } from "./Entry.ts"

/** The query of a list as it is decoded. */
interface Asked extends PageQuery {
  readonly from?: string
  readonly to?: string
  readonly principal?: string
  readonly action?: string
  readonly target?: string
  readonly outcome?: Outcome
  readonly order?: "oldest" | "newest"
}

export const AuditHttp = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fn(function* (handlers) {
    const audit = yield* Audit
    const { defaultTenant } = yield* Settings

    const list = Effect.fnUntraced(function* (
      name: string,
      chain: Chain,
      { limit, cursor, from, to, ...exact }: Asked,
      request: HttpServerRequest.HttpServerRequest
    ) {
      const filter = {
        ...exact,
        ...(from === undefined ? {} : { from: Date.parse(from) }),
        ...(to === undefined ? {} : { to: Date.parse(to) })
      }
      // The memory of the answer counts as the default tenant's where the rows belong to none.
      const payer = chain ?? defaultTenant
      const page = { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) }
      if (!wantsLines(request.headers.accept)) {
        return selected(yield* listResponse(name, payer, page, (span) => audit.list(chain, filter, span)))
      }
      const after = yield* listStart(name, page)
      yield* (yield* RequestMemory).hold(payer, listBytes)
      const rows = yield* withFirstChunk(audit.list(chain, filter, { after, limit }))
      const lines = Stream.mapArray(rows, (chunk) => [chunk.map(({ json }) => `${json}\n`).join("")])
      return selected(HttpServerResponse.stream(Stream.encodeText(lines), { contentType: "application/x-ndjson" }))
    })

    return handlers
      .handleRaw("list", ({ params, query, request }) =>
        list(`audit of ${params.tenant}`, TenantId(params.tenant), query, request)
      )
      .handleRaw("platform", ({ query, request }) => list("audit", undefined, query, request))
  })
)
