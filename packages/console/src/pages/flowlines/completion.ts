import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete"
import { flowlines } from "../../texts/en.ts"
import { type NodeDescriptor, runtimes } from "./model.ts"
import type { Notation, Spot, Spots } from "./Notation.ts"
import { isObject, membersOf, requiredOf, type Schema, schemaAt, textOf, typeName, valuesOf } from "./schema.ts"

const t = flowlines.completion

/** Members of a flowline, of its settings, of a node and of its wires. */
const members = {
  root: ["version", "type", "name", "description", "runtime", "settings", "parameters", "dag", "tests"],
  settings: ["memory_mib", "timeout_seconds", "parallelism", "threads", "failWhen", "retry", "resources"],
  retry: ["attempts", "initial", "max"],
  node: ["type", "component", "description", "settings", "subscribe", "publish"],
  parameter: ["type", "description", "default", "required", "values", "pattern", "min", "max"],
  test: ["name", "given", "expect", "parameters"]
}
const parameterTypes = ["string", "integer", "number", "boolean", "duration", "timestamp", "enum"]

/** A completion, before it is written in the notation of the text. */
interface Offer extends Completion {
  /** The inserted text; by default the label. */
  readonly value?: unknown
}

const keys = (names: ReadonlyArray<string>): ReadonlyArray<Offer> =>
  names.map((name, at) => ({ label: name, type: "property", boost: -at }))

const values = (found: ReadonlyArray<string | number | boolean>): ReadonlyArray<Offer> =>
  found.map((value) => ({ label: String(value), type: "enum", value }))

interface WiredNode {
  readonly name: string
  readonly streams: ReadonlyArray<string>
}

/** The nodes of a text with the streams that they publish. */
const wired = (value: unknown): ReadonlyArray<WiredNode> => {
  const dag = isObject(value) && Array.isArray(value["dag"]) ? value["dag"] : []
  return dag.filter(isObject).map((node) => ({
    name: textOf(node["component"]) || textOf(node["type"]),
    streams: (Array.isArray(node["publish"]) ? node["publish"] : [])
      .filter(isObject)
      .map(({ stream }) => textOf(stream))
      .filter((stream) => stream !== "")
  }))
}

const setting = (name: string, root: Schema, schema: Schema, isRequired: boolean): Offer => ({
  label: name,
  type: "property",
  detail: isRequired ? `${typeName(root, schema)} · ${t.required}` : typeName(root, schema),
  info: [textOf(schema["description"]), schema["default"] === undefined ? "" : t.byDefault(schema["default"])]
    .filter((part) => part !== "")
    .join("\n\n"),
  boost: isRequired ? 2 : 0
})

const settingsAt = (node: NodeDescriptor, { path, isKey }: Spot): ReadonlyArray<Offer> => {
  const root = node.settings ?? {}
  const schema = schemaAt(root, path.slice(3))
  if (schema === undefined) return []
  if (!isKey) {
    const found = values(valuesOf(root, schema))
    const named = schema["default"]
    return found.map((one) => (one.label === String(named) ? { ...one, detail: t.isDefault, boost: 1 } : one))
  }
  const required = requiredOf(schema)
  return [...membersOf(root, schema)].map(([name, member]) => setting(name, root, member, required.includes(name)))
}

const nodeTypes = (nodes: ReadonlyMap<string, NodeDescriptor>): ReadonlyArray<Offer> =>
  [...nodes.values()].map(({ type, kind = "processing", description = "" }) => ({
    label: type,
    type: "class",
    detail: flowlines.kinds[kind],
    info: description
  }))

const ofNode = ({ path, isKey, value }: Spot, nodes: ReadonlyMap<string, NodeDescriptor>): ReadonlyArray<Offer> => {
  const [, at, member, index, key] = path
  const dag = isObject(value) ? value["dag"] : undefined
  const own: unknown = Array.isArray(dag) ? dag[Number(at)] : undefined
  const node = isObject(own) ? nodes.get(textOf(own["type"])) : undefined
  if (member === undefined) return isKey ? keys(members.node) : []
  if (member === "type") return isKey ? [] : nodeTypes(nodes)
  if (member === "settings") return node === undefined ? [] : settingsAt(node, { path, isKey, value })
  const ownName = isObject(own) ? textOf(own["component"]) || textOf(own["type"]) : ""
  const others = wired(value).filter(({ name }) => name !== ownName && name !== "")
  if (member === "subscribe") {
    if (isKey) return keys(["component", "stream"])
    if (key === "component") return others.map(({ name }) => ({ label: name, type: "variable" }))
    const list: unknown = isObject(own) ? own["subscribe"] : undefined
    const item: unknown = Array.isArray(list) ? list[Number(index)] : undefined
    if (key === "stream") {
      const from = isObject(item) ? textOf(item["component"]) : ""
      const found = others.find(({ name }) => name === from)
      return (found?.streams ?? others.flatMap(({ streams }) => streams)).map((label) => ({ label, type: "variable" }))
    }
    return others.flatMap(({ name, streams }) =>
      streams.map((stream) => ({
        label: `${name} ${stream}`,
        type: "variable",
        value: { component: name, stream }
      }))
    )
  }
  if (member === "publish") {
    if (isKey) return keys(["stream"])
    const named = (node?.outputs ?? ["errors"]).filter((stream) => stream !== "*")
    return named.map((stream) => ({
      label: stream,
      type: "variable",
      ...(key === "stream" ? {} : { value: { stream } })
    }))
  }
  return []
}

const ofSpot = (spot: Spot, nodes: ReadonlyMap<string, NodeDescriptor>): ReadonlyArray<Offer> => {
  const { path, isKey } = spot
  const [first, second, third] = path
  if (path.length === 0) return isKey ? keys(members.root) : []
  switch (first) {
    case "runtime":
      return isKey ? [] : values(runtimes)
    case "type":
      return isKey ? [] : values(["flowline"])
    case "settings":
      return isKey ? keys(second === "retry" ? members.retry : members.settings) : []
    case "parameters":
      if (isKey) return path.length === 2 ? keys(members.parameter) : []
      return third === "type" ? values(parameterTypes) : third === "required" ? values([true, false]) : []
    case "dag":
      return path.length === 1 ? [] : ofNode(spot, nodes)
    case "tests":
      return isKey && path.length === 2 ? keys(members.test) : []
    default:
      return []
  }
}

/** The present members of an object. */
const presentAt = ({ path, value }: Spot): ReadonlySet<string> => {
  const found = path.reduce<unknown>((inner, key) => Object(inner)[key], value)
  return new Set(isObject(found) ? Object.keys(found) : [])
}

/** Whether completions open by themselves after this text while typing: after a word, and where a value begins. */
export const opens = (before: string): boolean => /[\w.@*-]$|(?::|[[{,]|-)\s$/.test(before)

/** The completions at the cursor, by the schemas of the nodes. */
export const complete = (
  { state, pos, explicit }: CompletionContext,
  nodes: ReadonlyMap<string, NodeDescriptor>,
  { spotsAt }: Notation
): CompletionResult | null => {
  if (!explicit && !opens(state.sliceDoc(Math.max(0, pos - 2), pos))) return null
  const { from, spots, key, value: written }: Spots = spotsAt(state.doc.toString(), pos)
  for (const spot of spots) {
    const present = spot.isKey ? presentAt(spot) : new Set<string>()
    const options = ofSpot(spot, nodes)
      .filter(({ label }) => !present.has(label))
      .map(({ value, ...offer }) => ({
        ...offer,
        apply: spot.isKey ? key(offer.label) : written(value ?? offer.label)
      }))
    if (options.length > 0) return { from, options, validFor: /^[\w.@*-]*$/ }
  }
  return null
}
