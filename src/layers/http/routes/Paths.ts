import { pathMembers } from "./AccessLog.ts"
import { routedUrls } from "./RestPaths.ts"
import type { RouteTable } from "./RouteTable.ts"

/** What is before the path in a target that is a whole URL (RFC 9112, section 3.2.2). It may have a password. */
const beforePath = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*/

/** The path of a request's target, without the query. */
export const pathOf = (url = "/"): string => {
  const query = url.indexOf("?")
  const path = query === -1 ? url : url.slice(0, query)
  return path.startsWith("/") ? path : path.replace(beforePath, "")
}

/** The tenant in a path that matches a template such as `/v1/{tenant}/conf`. */
export const tenantOf = (template: string, path: string): string | undefined => {
  if (!template.startsWith("/v1/{tenant}")) return undefined
  try {
    return decodeURIComponent(path.split("/", 3)[2] ?? "")
  } catch {
    return ""
  }
}

/** A path's route and its representation in the access log. */
interface KnownPath {
  readonly template: string
  /** Its members in a line of the access log. */
  readonly members: string
}

/** Maximum number of remembered paths, and the length up to which a path is remembered. */
const mostPaths = 1024
const longestPath = 256

/** Looks up paths. The last ones are remembered, because clients request the same ones repeatedly. */
export const knownPaths = (table: RouteTable) => {
  const known = new Map<string, KnownPath>()
  const routed = routedUrls(table)
  return (path: string): KnownPath => {
    const found = known.get(path)
    if (found !== undefined) return found
    const made = { template: table.find(routed(path))?.template ?? "unknown", members: pathMembers(path) }
    if (known.size >= mostPaths) known.clear()
    if (path.length <= longestPath) known.set(path, made)
    return made
  }
}
