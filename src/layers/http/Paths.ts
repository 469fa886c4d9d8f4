import { pathMembers } from "./AccessLog.ts"
import { routedUrls } from "./RestPaths.ts"
import type { RouteTable } from "./RouteTable.ts"

/** The path of a request's target, without the query. */
export const pathOf = (url = "/"): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** What a path means for the log and the metrics. */
interface KnownPath {
  readonly template: string
  /** Its part of a line of the log. */
  readonly members: string
}

/** How many paths are remembered, and the length up to which they are. */
const mostPaths = 1024
const longestPath = 256

/** Finds what a path means. That of the last ones is remembered, as clients ask for the same again and again. */
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
