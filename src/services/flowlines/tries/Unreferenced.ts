import * as Predicate from "effect/Predicate"
import { catalogue } from "../../../nodes/Catalogue.ts"
import { componentOf, type DagNode, type Flowline } from "../../../protocol/Flowline.ts"
import type { TryAnswer } from "../TryAnswer.ts"
import { fieldUseOf } from "../validation/FieldCheck.ts"

/** Maximum number of fields that are named, and of those that are looked at. */
const maxFields = 200
const maxSought = 5000
/** Characters of settings that are searched for names that are not one word. */
const maxSearched = 20_000_000

const wordPattern = /[\p{L}\p{N}_]+/gu

const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Predicate.isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]) : []
}

/** What a node uses, by the texts of its settings or by what they mean where they say nothing. */
interface Use {
  readonly text: string
  readonly words: ReadonlySet<string>
  /** The fields that it reads, and the objects that they are in. */
  readonly reads: ReadonlySet<string>
  /** Whether it may use fields that its settings do not name. */
  readonly isWhole: boolean
}

const useOf = (node: DagNode): Use => {
  const text = textsIn(node.settings).join("\n")
  const { reads, isWhole = false } = fieldUseOf(node, {})
  const names = reads.flatMap(({ name }) => {
    const parts = name.split(".")
    return parts.map((_, at) => parts.slice(0, at + 1).join("."))
  })
  const statement = node.settings["statement"]
  // A statement in SQL names what it uses, unless it takes all columns.
  const isSql = typeof statement === "string" && catalogue.get(node.type)?.relation?.(node.settings) !== undefined
  return {
    text,
    words: new Set(text.match(wordPattern)),
    reads: new Set(names),
    isWhole: isSql ? statement.includes("*") : isWhole
  }
}

/** The uses of a flowline's nodes. Each node is looked at once, because records may have very many fields. */
class Uses {
  readonly #uses = new Map<DagNode, Use>()
  #searched = 0

  of(node: DagNode): Use {
    const use = this.#uses.get(node) ?? useOf(node)
    this.#uses.set(node, use)
    return use
  }

  /** Whether the node reads the field, or names it where it is not a part of another word. */
  has(node: DagNode, name: string): boolean {
    const { reads, words, text } = this.of(node)
    if (reads.has(name) || words.has(name)) return true
    const parts = name.match(wordPattern) ?? []
    if (parts[0] === name || !parts.every((part) => words.has(part))) return false
    this.#searched += text.length
    // When so much has been searched, a field whose words are all there counts as used.
    if (this.#searched > maxSearched) return true
    const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    return new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, "u").test(text)
  }
}

/** Finds the nodes that records of a node may reach, without itself. */
const reaching = ({ dag }: Flowline) => {
  const receivers = new Map<string, Set<DagNode>>()
  for (const node of dag) {
    for (const { component } of node.subscribe) {
      const known = receivers.get(component) ?? new Set()
      receivers.set(component, known.add(node))
    }
  }
  return (component: string): ReadonlyArray<DagNode> => {
    const reached = new Set([component])
    const found: Array<DagNode> = []
    // The set grows while it is iterated.
    for (const name of reached) {
      for (const node of receivers.get(name) ?? []) {
        if (reached.has(componentOf(node))) continue
        reached.add(componentOf(node))
        found.push(node)
      }
    }
    return found
  }
}

const namesOf = (records: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set(records.flatMap((record) => (Predicate.isObject(record) ? Object.keys(record) : [])))

/** Fields that a node adds to the shown records, and that no node or output after it uses. */
export const unreferenced = (flowline: Flowline, edges: TryAnswer["edges"]): TryAnswer["unreferenced"] => {
  const below = reaching(flowline)
  const uses = new Uses()
  const names = new Map<string, ReadonlySet<string>>()
  for (const { from, stream, records } of edges) {
    const key = JSON.stringify([from, stream])
    names.set(key, namesOf(records).union(names.get(key) ?? new Set()))
  }
  const namesIn = (component: string, stream: string) => names.get(JSON.stringify([component, stream])) ?? new Set()
  let sought = 0
  return flowline.dag
    .flatMap((node) => {
      const component = componentOf(node)
      const made = new Set(
        node.publish.flatMap(({ stream }) => (stream === "errors" ? [] : [...namesIn(component, stream)]))
      )
      for (const { component, stream } of node.subscribe)
        for (const name of namesIn(component, stream)) made.delete(name)
      if (made.size === 0) return []
      const later = below(component)
      if (later.some((node) => uses.of(node).isWhole)) return []
      const fields = [...made].slice(0, maxSought - sought)
      sought += fields.length
      return fields
        .filter((field) => !later.some((node) => uses.has(node, field)))
        .map((field) => ({ component, field }))
    })
    .slice(0, maxFields)
}
