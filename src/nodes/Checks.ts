import { pathOf } from "../languages/document/Pointer.ts"
import { programFault } from "../languages/flowlet/Check.ts"
import { parseQuery } from "../languages/query/QueryParser.ts"
import type { NodeType, SettingsIssue, Surroundings } from "./Node.ts"

const queryFaults = (query: unknown): ReadonlyArray<SettingsIssue> => {
  const parsed = parseQuery(query, Date.now())
  if (parsed._tag === "Success") return []
  return parsed.failure.map(({ pointer = "", detail }) => {
    const path = pathOf(pointer).map((key) => (/^\d{1,9}$/.test(key) ? Number(key) : key))
    return { path, detail }
  })
}

/**
 * The faults of a node's decoded settings that its schema cannot express. Only the gateway imports this file: the
 * compiler and parser that it passes to the checks would take 3 MiB of each run.
 */
export const checkSettings = (
  node: NodeType,
  settings: unknown,
  surroundings: Surroundings
): ReadonlyArray<SettingsIssue> => node.check?.(settings, { ...surroundings, programFault, queryFaults }) ?? []
