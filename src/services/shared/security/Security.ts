import { HttpApiMiddleware } from "effect/http-api"
import { BadRequest } from "../../../errors/BadRequest.ts"
import { Forbidden } from "../../../errors/Forbidden.ts"
import { LimitExceeded } from "../../../errors/LimitExceeded.ts"
import { Overloaded } from "../../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import { TenantSuspended } from "../../../errors/TenantSuspended.ts"
import { Unauthorized } from "../../../errors/Unauthorized.ts"

/** The security schemes of the OpenAPI document. A gateway without `FLOW_AUTH` asks for no credentials. */
export const securitySchemes = {
  basic: { description: "Name and password of a user of the access file", type: "http", scheme: "basic" },
  bearer: {
    description: "An API key, or a JSON Web Token of an issuer of the access file",
    type: "http",
    scheme: "Bearer"
  },
  key: { description: "An API key", type: "apiKey", name: "X-API-Key", in: "header" }
} as const

/**
 * Finds out who sends the request. Without valid credentials it is refused with 401, whatever it asks for. The schemes
 * are not declared to Effect, which would try to decode each in turn, for every request.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication>()("flow/shared/Authentication", {
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
