import { type Edited, edited, listItem, withNode } from "./edits.ts"
import type { FromTester } from "./examples.ts"
import type { NodeDescriptor } from "./model.ts"
import { isObject, textOf } from "./schema.ts"
import { nameOf, published } from "./wires.ts"

/** Applies edits one after the other. */
const inTurn = (text: string, edits: ReadonlyArray<(text: string) => Edited>): Edited =>
  edits.reduce<Edited>((made, edit) => (made === undefined ? undefined : edit(made)), text)

/** Gives a node another name, also where other nodes and tests refer to it. */
export const renamed = (text: string, dag: ReadonlyArray<unknown>, index: number, name: string): Edited => {
  const node = dag[index]
  if (!isObject(node)) return undefined
  const before = nameOf(node)
  const after = name === "" ? textOf(node["type"]) : name
  const edits = dag.flatMap((other, at) =>
    (isObject(other) && Array.isArray(other["subscribe"]) ? other["subscribe"] : []).flatMap((wire: unknown, place) =>
      isObject(wire) && wire["component"] === before
        ? [(one: string) => edited(one, ["dag", at, "subscribe", place, "component"], after)]
        : []
    )
  )
  return inTurn(text, [...edits, (one) => edited(one, ["dag", index, "component"], name === "" ? undefined : name)])
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
  text: string,
  dag: ReadonlyArray<unknown>,
  after: number,
  { type, kind, example = {}, outputs = [] }: NodeDescriptor
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

/** Lines of a test that go into the flowline that is made of it. */
const mostLines = 20

/** A flowline of a test: its lines, its node, and an output that shows what comes of them. */
export const flowlineOf = ({ node, type, lines }: FromTester): string => {
  const messages = lines.filter((line) => line !== "").slice(0, mostLines)
  const input = {
    type: "generator_input",
    component: "input",
    settings: { count: Math.max(1, messages.length), messages: messages.length === 0 ? [""] : messages },
    publish: [{ stream: "lines" }]
  }
  const output = { type: "show", subscribe: [{ component: type, stream: "parsed" }] }
  const indented = node
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n")
  return `version: "1.0"\ntype: flowline\nname: from-a-test\nruntime: stream\ndag:\n${listItem(input, 2)}${indented}\n${listItem(output, 2)}`
}
