import type { Edited, Notation } from "./Notation.ts"
import { isObject, type Path, textOf } from "./schema.ts"
import { nameOf, published } from "./wires.ts"

/** Applies edits one after the other. */
const inTurn = (text: string, edits: ReadonlyArray<(text: string) => Edited>): Edited =>
  edits.reduce<Edited>((made, edit) => (made === undefined ? undefined : edit(made)), text)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const membersOf = (value: unknown, name: string): ReadonlyArray<unknown> => listOf(isObject(value) ? value[name] : [])

/** Moves what a test gives to one input to another, in the place of its key. */
const givenEdits = ({ keyed }: Notation, test: unknown, path: Path, before: string, after: string) => {
  const given = isObject(test) && isObject(test["given"]) ? test["given"] : {}
  return Object.hasOwn(given, before) && !Object.hasOwn(given, after)
    ? [(text: string) => keyed(text, [...path, before], after)]
    : []
}

/** Gives a node another name, also where other nodes and tests refer to it. */
export const renamed = (
  notation: Notation,
  text: string,
  flowline: Readonly<Record<string, unknown>>,
  index: number,
  name: string
): Edited => {
  const dag = listOf(flowline["dag"])
  const node = dag[index]
  if (!isObject(node)) return undefined
  const { edited } = notation
  const before = nameOf(node)
  const after = name === "" ? textOf(node["type"]) : name
  const edits = dag.flatMap((other, at) =>
    membersOf(other, "subscribe").flatMap((wire, place) =>
      isObject(wire) && wire["component"] === before
        ? [(one: string) => edited(one, ["dag", at, "subscribe", place, "component"], after)]
        : []
    )
  )
  const testEdits = listOf(flowline["tests"]).flatMap((test, at) => [
    ...membersOf(test, "expect").flatMap((expectation, place) =>
      isObject(expectation) && expectation["at"] === before
        ? [(one: string) => edited(one, ["tests", at, "expect", place, "at"], after)]
        : []
    ),
    ...givenEdits(notation, test, ["tests", at, "given"], before, after)
  ])
  return inTurn(text, [
    ...edits,
    ...testEdits,
    (one) => edited(one, ["dag", index, "component"], name === "" ? undefined : name)
  ])
}

/** What is known of the type of a node. */
interface NodeType {
  readonly type: string
  readonly kind?: string
  readonly example?: Readonly<Record<string, unknown>>
  readonly outputs?: ReadonlyArray<string>
}

/** A name that no other node has. */
const freeName = (dag: ReadonlyArray<unknown>, type: string): string | undefined => {
  const taken = new Set(dag.filter(isObject).map(nameOf))
  if (!taken.has(type)) return undefined
  for (let at = 2; ; at++) if (!taken.has(`${type}-${at}`)) return `${type}-${at}`
}

/**
 * Adds a node with the settings of its example at the end of the DAG. Unless it is an input, it receives what the node at
 * `after` publishes, or the nearest node before that which publishes something.
 */
export const addedNode = (
  { withNode }: Notation,
  text: string,
  dag: ReadonlyArray<unknown>,
  after: number,
  { type, kind, example = {}, outputs = [] }: NodeType
): Edited => {
  const component = freeName(dag, type)
  const source = dag.findLast((node, at) => at <= after && published(node).length > 0)
  const from =
    kind !== "input" && isObject(source) ? [{ component: nameOf(source), stream: published(source)[0] }] : undefined
  return withNode(text, {
    type,
    ...(component === undefined ? {} : { component }),
    ...(Object.keys(example).length === 0 ? {} : { settings: example }),
    ...(from === undefined ? {} : { subscribe: from }),
    ...(outputs.includes("*") ? { publish: [{ stream: "out" }] } : {})
  })
}

/** What reads and edits texts that may be written in some of these ways. */
export interface Tools {
  /** The notation of a text, by the name of its file or else by itself. */
  readonly notationOf: (text: string, filename: string | null | undefined) => Notation
  readonly renamed: typeof renamed
  readonly addedNode: typeof addedNode
}
