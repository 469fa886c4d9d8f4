import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Forbidden } from "../../errors/Forbidden.ts"
import { LimitExceeded } from "../../errors/LimitExceeded.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TenantSuspended } from "../../errors/TenantSuspended.ts"
import { Unauthorized } from "../../errors/Unauthorized.ts"

const said = (description: string) => OpenApi.annotations({ description })

/**
 * How requests authenticate. A gateway without `FLOW_AUTH` asks for nothing. Effect decodes the first scheme of every
 * request, whichever it has; that of `basic` costs the least where there is no password.
 */
export const schemes = {
  basic: HttpApiSecurity.annotateMerge(HttpApiSecurity.basic, said("Name and password of a user of the access file")),
  bearer: HttpApiSecurity.annotateMerge(
    HttpApiSecurity.bearer,
    said("An API key, or a JSON Web Token of an issuer of the access file")
  ),
  key: HttpApiSecurity.annotateMerge(HttpApiSecurity.apiKey({ key: "X-API-Key" }), said("An API key"))
}

/** Finds out who sends the request. Without valid credentials it is refused with 401, whatever it asks for. */
export class Authentication extends HttpApiMiddleware.Service<Authentication>()("flow/shared/Authentication", {
  security: schemes,
  error: [Unauthorized, BadRequest, LimitExceeded, Overloaded, StorageUnreachable]
}) {}

/** Refuses a principal that has not the role that the endpoint needs, and all but reads of a suspended tenant. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()("flow/shared/Authorization", {
  error: [Forbidden, TenantSuspended]
}) {}

/** Counts requests by principal and tenant, and refuses those beyond the limit. */
export class RequestRate extends HttpApiMiddleware.Service<RequestRate>()("flow/shared/RequestRate", {
  error: LimitExceeded
}) {}
