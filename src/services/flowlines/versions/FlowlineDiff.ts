import { Predicate } from "effect"
import { pointerOf } from "../../../languages/document/Pointer.ts"

/** Changed values that a diff lists at most. */
const mostChanges = 1000
/** Characters of JSON up to which a value stands in a diff. */
const longest = 1024

/**
 * One changed value. `pointer` is a JSON pointer into the newer definition, or into the older one for what was removed.
 * `before` and `after` are absent where there is no value, or where its JSON is longer than 1024 characters (`omitted`).
 */
interface ValueChange {
  readonly pointer: string
  readonly change: "added" | "removed" | "changed"
  readonly before?: unknown
  readonly after?: unknown
  readonly omitted?: true
}

/** A node by its name and type, with where it stands. */
interface NodeRef {
  readonly component: string
  readonly type: string
  readonly pointer: string
}

interface ChangedNode extends NodeRef {
  readonly changes: ReadonlyArray<ValueChange>
}

/** What differs between two definitions. `isCut`: there are more changes than are listed. */
interface FlowlineDiff {
  readonly added: ReadonlyArray<NodeRef>
  readonly removed: ReadonlyArray<NodeRef>
  readonly changed: ReadonlyArray<ChangedNode>
  /** Changes outside of the nodes. */
  readonly changes: ReadonlyArray<ValueChange>
  readonly isCut: boolean
}

type Path = ReadonlyArray<string | number>

class Changes {
  #left = mostChanges
  isCut = false

  /** Whether there is room for one more. */
  take(): boolean {
    if (this.#left > 0) {
      this.#left--
      return true
    }
    this.isCut = true
    return false
  }
}

const isShort = (value: unknown): boolean => (JSON.stringify(value) ?? "").length <= longest

const changeOf = (path: Path, before: unknown, after: unknown): ValueChange => {
  const omitted = !isShort(before) || !isShort(after)
  const values = omitted
    ? { omitted: true as const }
    : { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed"
  return { pointer: pointerOf(path), change, ...values }
}

const memberOf = (value: Record<PropertyKey, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

/** Adds the differences of two values. Lists of different lengths differ as a whole. */
const compare = (
  before: unknown,
  after: unknown,
  paths: { readonly before: Path; readonly after: Path },
  all: Changes,
  found: Array<ValueChange>
): void => {
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [at, item] of before.entries()) {
      compare(item, after[at], { before: [...paths.before, at], after: [...paths.after, at] }, all, found)
    }
  } else if (Predicate.isObject(before) && Predicate.isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inner = { before: [...paths.before, key], after: [...paths.after, key] }
      compare(memberOf(before, key), memberOf(after, key), inner, all, found)
    }
  } else if (!Object.is(before, after) && JSON.stringify(before) !== JSON.stringify(after) && all.take()) {
    found.push(changeOf(after === undefined ? paths.before : paths.after, before, after))
  }
}

interface Node {
  readonly ref: NodeRef
  readonly at: number
  readonly value: unknown
}

/** The nodes by their names. A node without a name has that of its type. */
const nodesOf = (definition: Record<PropertyKey, unknown>): ReadonlyMap<string, Node> => {
  const dag = memberOf(definition, "dag")
  const nodes = Array.isArray(dag) ? dag : []
  return new Map(
    nodes.map((value: unknown, at) => {
      const { type, component = type } = Predicate.isObject(value) ? value : {}
      const ref = { component: String(component), type: String(type), pointer: `/dag/${at}` }
      return [ref.component, { ref, at, value }]
    })
  )
}

/** What has changed between two definitions. The order of nodes and of members means nothing. */
export const flowlineDiff = (
  before: Record<PropertyKey, unknown>,
  after: Record<PropertyKey, unknown>
): FlowlineDiff => {
  const all = new Changes()
  const [old, now] = [nodesOf(before), nodesOf(after)]
  const changed: Array<ChangedNode> = []
  for (const [name, { ref, at, value }] of now) {
    const was = old.get(name)
    if (was === undefined) continue
    const changes: Array<ValueChange> = []
    compare(was.value, value, { before: ["dag", was.at], after: ["dag", at] }, all, changes)
    if (changes.length > 0) changed.push({ ...ref, changes })
  }
  const changes: Array<ValueChange> = []
  const withoutNodes = ({ dag: _, ...rest }: Record<PropertyKey, unknown>) => rest
  compare(withoutNodes(before), withoutNodes(after), { before: [], after: [] }, all, changes)
  const missingIn = (nodes: ReadonlyMap<string, Node>, others: ReadonlyMap<string, Node>) =>
    [...nodes].flatMap(([name, { ref }]) => (others.has(name) ? [] : [ref]))
  return { added: missingIn(now, old), removed: missingIn(old, now), changed, changes, isCut: all.isCut }
}
