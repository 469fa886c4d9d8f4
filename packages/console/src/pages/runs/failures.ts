import type { Graph } from "../../parts/dag/Graph.ts"

/** Where a node's rejected records were written. */
export type Kept =
  | { readonly kind: "archive"; readonly entry: string; readonly component: string }
  | { readonly kind: "file"; readonly path: string; readonly root: string; readonly component: string }
  | { readonly kind: "index"; readonly index: string; readonly component: string }
  | { readonly kind: "other"; readonly type: string; readonly component: string }

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {})

const settingsOf = (definition: unknown, component: string): Members => {
  const { dag } = membersOf(definition)
  const node = (Array.isArray(dag) ? dag : [])
    .map(membersOf)
    .find((one) => (one["component"] ?? one["type"]) === component)
  return membersOf(node?.["settings"])
}

const text = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise)

/** The outputs that receive the `errors` of a node, directly or through other nodes. */
export const keptBy = ({ nodes, edges }: Graph, definition: unknown, component: string): ReadonlyArray<Kept> => {
  const reached = new Set<string>()
  const next = edges.filter(({ from, label }) => from === component && label === "errors").map(({ to }) => to)
  for (const id of next) {
    if (reached.has(id)) continue
    reached.add(id)
    for (const { from, to } of edges) if (from === id) next.push(to)
  }
  return nodes.flatMap(({ id, type }): ReadonlyArray<Kept> => {
    if (!reached.has(id) || edges.some(({ from }) => from === id)) return []
    // The settings of an output say where it writes, whatever its type.
    const { index, entry, path, root } = settingsOf(definition, id)
    if (typeof index === "string") return [{ kind: "index", index, component: id }]
    if (typeof entry === "string") return [{ kind: "archive", entry, component: id }]
    if (typeof path === "string") return [{ kind: "file", path, root: text(root, ""), component: id }]
    return [{ kind: "other", type, component: id }]
  })
}

/** A rejected record. */
export interface Rejected {
  readonly key: string
  /** Its file and line; empty if its input does not record them. */
  readonly place: string
  readonly reason: string
  /** Its text, or the whole record. */
  readonly text: string
  /** How far the pattern matched, and what failed there. */
  readonly matchedUpTo?: number
  readonly failedAt?: string
  readonly detail?: string
  readonly record: unknown
}

const placeOf = (source: unknown): string => {
  const { file, line, offset } = membersOf(source)
  if (typeof file !== "string") return ""
  return typeof line === "number" ? `${file}:${line}` : typeof offset === "number" ? `${file} @ ${offset}` : file
}

/** Parses a record of the stream `errors`. */
export const rejectedOf = (record: unknown, key: string): Rejected => {
  const { error, _source, message, ...rest } = membersOf(record)
  const { reason, explanation } = membersOf(error)
  const { matchedUpTo, failedAt, detail } = membersOf(explanation)
  const row = rest["row"]
  return {
    key,
    place: placeOf(_source) || (typeof row === "number" ? `row ${row}` : ""),
    reason: text(reason, ""),
    text: typeof message === "string" ? message : typeof record === "string" ? record : JSON.stringify(rest),
    ...(typeof matchedUpTo === "number" ? { matchedUpTo } : {}),
    ...(typeof failedAt === "string" ? { failedAt } : {}),
    ...(typeof detail === "string" ? { detail } : {}),
    record
  }
}
