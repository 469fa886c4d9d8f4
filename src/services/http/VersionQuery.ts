import { Effect, JsonPointer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { BadRequest } from "../../errors/BadRequest.ts"

/**
 * Rejects a query that names versions with an unknown parameter, such as `versions[]=1`, or `version=1` instead of
 * `versions=1`. If it were ignored like other unknown parameters, the request would delete all versions.
 */
export const versionsNamedAs = (
  known: string | undefined,
  { url }: Pick<HttpServerRequest.HttpServerRequest, "url">
): Effect.Effect<void, BadRequest> => {
  const query = url.indexOf("?")
  const names = query === -1 ? [] : [...new URLSearchParams(url.slice(query)).keys()]
  const unknown = names.filter((name) => name !== known && /^versions?(\[|$)/i.test(name))
  if (unknown.length === 0) return Effect.void
  const detail = known === undefined ? "This endpoint cannot delete single versions" : `Expected ${known}`
  const issues = unknown.map((name) => ({ part: "query", pointer: `/${JsonPointer.escapeToken(name)}`, detail }))
  return new BadRequest({ detail: "The query does not name the versions to delete correctly", issues })
}
