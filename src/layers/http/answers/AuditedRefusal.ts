import { Option, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Refusal } from "../../../services/shared/security/Refusals.ts"
import { pathOf, tenantOf } from "../routes/Paths.ts"
import type { RouteTable } from "../routes/RouteTable.ts"
import { receivedOf } from "../server/NodeMessages.ts"

/** Problem types of refused requests: by authentication, authorization or a limit. */
const refusals: ReadonlySet<unknown> = new Set(
  [
    "unauthorized",
    "forbidden",
    "tenant-suspended",
    "foreign-origin",
    "misdirected-request",
    "limit-exceeded",
    "too-many",
    "queue-full"
  ].map((slug) => `/problems/${slug}`)
)

/** Problem types of failures of the gateway itself. */
const failures: ReadonlySet<unknown> = new Set(["/problems/internal-error", "/problems/storage-unreachable"])

/** Whether the tenant does not exist, or the principal may not see it. */
const isHidden = (problem: Record<string, unknown>): boolean =>
  problem["type"] === "/problems/not-found" && problem["kind"] === "tenant"

/** Whether a 413 is due to the quota in bytes, and thus a refusal; any other 413 is a faulty request. */
const isOverQuota = (problem: Record<string, unknown>): boolean =>
  problem["type"] === "/problems/too-large" && problem["limit"] === "storedBytes"

/**
 * The audit's row for an answer: a refused request, or a change that the gateway could not make. Undefined for others.
 */
export const auditedRefusal = (
  table: RouteTable,
  request: HttpServerRequest.HttpServerRequest,
  requestId: string,
  path: string,
  problem: Record<string, unknown>
): Refusal | undefined => {
  const { type, status } = problem
  // The path as the router sees it: a tail of several segments counts as one.
  const route = table.find(pathOf(request.url))
  const endpoint = route?.endpoints.get(request.method === "HEAD" ? "GET" : request.method)
  const refused = refusals.has(type) || isHidden(problem) || isOverQuota(problem)
  if (!refused && !(failures.has(type) && endpoint?.isChange === true)) return undefined
  return {
    tenant: route && tenantOf(route.template, path),
    principal: receivedOf(request)?.principal,
    action: endpoint?.action ?? "",
    target: path,
    outcome: refused ? "refused" : "failed",
    status: Predicate.isNumber(status) ? status : 0,
    requestId,
    remote: Option.getOrNull(request.remoteAddress),
    isHidden: isHidden(problem)
  }
}
