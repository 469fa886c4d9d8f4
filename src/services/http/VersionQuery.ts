import { Effect, JsonPointer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { BadRequest } from "../../errors/BadRequest.ts"

/**
 * Refuses a query that names versions in a way that the endpoint does not know, such as `versions[]=1` or `version=1`
 * where it is `versions`. Ignored, as unknown parameters are elsewhere, it would delete all versions in place of one.
 */
export const versionsNamedAs = (
  known: string | undefined,
  { url }: Pick<HttpServerRequest.HttpServerRequest, "url">
): Effect.Effect<void, BadRequest> => {
  const query = url.indexOf("?")
  const names = query === -1 ? [] : [...new URLSearchParams(url.slice(query)).keys()]
  const unknown = names.filter((name) => name !== known && /^versions?(\[|$)/i.test(name))
  if (unknown.length === 0) return Effect.void
  const detail = known === undefined ? "Versions cannot be deleted one by one here" : `Expected ${known}`
  const issues = unknown.map((name) => ({ part: "query", pointer: `/${JsonPointer.escapeToken(name)}`, detail }))
  return new BadRequest({ detail: "The versions to delete cannot be told", issues })
}
