import { it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { describe, expect } from "vitest"
import { decodeStored } from "../../src/services/executions/StoredFlowline.ts"
import { seed } from "../support/random.ts"
import { definition, issues } from "./read.ts"

/** A DAG from numbers: node n subscribes to some of the previous nodes; the first one is an input. */
const below = (length: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length - 1 }))
const Seeds = Schema.Array(
  Schema.Struct({ kind: below(6), from: Schema.Array(below(1000)).check(Schema.isMaxLength(3)), streams: below(3) })
).check(Schema.isMaxLength(8))

interface Node {
  type: string
  component: string
  settings: Record<string, unknown>
  subscribe: Array<{ component: string; stream: string }>
  publish: Array<{ stream: string }>
}
const input = (index: number): Node => ({
  type: "generator_input",
  component: `n${index}`,
  settings: { messages: ["a"] },
  subscribe: [],
  publish: [{ stream: "s0" }, { stream: "s1" }]
})
const kinds: ReadonlyArray<readonly [string, (index: number) => Record<string, unknown>]> = [
  ["filter", () => ({ where: "a == 1" })],
  ["dissect", () => ({ pattern: "%{a} %{b}" })],
  ["show", () => ({ limit: 3 })],
  ["archive_output", (index) => ({ entry: `e${index}.csv` })],
  ["file_output", (index) => ({ path: `p${index}.csv` })]
]

const build = (seeds: typeof Seeds.Type): { runtime: string; dag: Array<Node> } => {
  const dag = [input(0)]
  for (const { kind, from, streams } of seeds) {
    const index = dag.length
    const found = kinds[kind]
    if (found === undefined) {
      dag.push(input(index))
      continue
    }
    const [type, settings] = found
    const senders = dag.filter((node) => node.publish.length > 0)
    const wires = [0, ...from].map((pick, at) => senders[(at === 0 ? senders.length - 1 : pick) % senders.length]!)
    const subscribe = [...new Set(wires)].map(({ component }) => ({ component, stream: "s0" }))
    const publish = kind < 2 ? ["s0", "s1", "errors"].slice(0, streams + 1).map((stream) => ({ stream })) : []
    dag.push({ type, component: `n${index}`, settings: settings(index), subscribe, publish })
  }
  return { runtime: "stream", dag }
}

/** A single fault: how it is put into the flowline, and the pointer of the expected issue, if it applies. */
type Mutation = (flowline: ReturnType<typeof build>, pick: number) => string | undefined
const receivers = (dag: ReadonlyArray<Node>) => dag.flatMap((node, index) => (node.subscribe.length > 0 ? [index] : []))
const mutations: Record<string, Mutation> = {
  "a renamed stream": ({ dag }, pick) => {
    const receiver = receivers(dag)[pick % Math.max(1, receivers(dag).length)]
    if (receiver === undefined) return undefined
    dag[receiver]!.subscribe[0]!.stream = "renamed"
    return `/dag/${receiver}/subscribe/0/stream`
  },
  "a dropped node": ({ dag }, pick) => {
    const used = dag.flatMap(({ component }, index) =>
      dag.some(({ subscribe }) => subscribe.some((wire) => wire.component === component)) ? [index] : []
    )
    const dropped = used[pick % Math.max(1, used.length)]
    if (dropped === undefined) return undefined
    const [{ component }] = dag.splice(dropped, 1) as [Node]
    const at = dag.findIndex(({ subscribe }) => subscribe.some((wire) => wire.component === component))
    return `/dag/${at}/subscribe/${dag[at]!.subscribe.findIndex((wire) => wire.component === component)}/component`
  },
  "a cycle": ({ dag }, pick) => {
    const middle = dag.flatMap((node, index) => (node.subscribe.length > 0 && node.publish.length > 0 ? [index] : []))
    const index = middle[pick % Math.max(1, middle.length)]
    if (index === undefined) return undefined
    dag[index]!.subscribe.push({ component: dag[index]!.component, stream: "s0" })
    return `/dag/${index}/subscribe/${dag[index]!.subscribe.length - 1}`
  },
  "a misspelt setting": ({ dag }, pick) => {
    const index = pick % dag.length
    const { settings } = dag[index]!
    const key = Object.keys(settings)[0]!
    settings[`${key}x`] = settings[key]
    delete settings[key]
    return `/dag/${index}/settings/${key}x`
  },
  "an unknown type": ({ dag }, pick) => {
    const index = pick % dag.length
    dag[index]!.type = "gork"
    return `/dag/${index}/type`
  },
  "a second node of the same name": ({ dag }, pick) => {
    const index = pick % dag.length
    dag.push({ ...input(0), component: dag[index]!.component })
    return `/dag/${dag.length - 1}/component`
  },
  "no subscription": ({ dag }, pick) => {
    const receiver = receivers(dag)[pick % Math.max(1, receivers(dag).length)]
    if (receiver === undefined) return undefined
    dag[receiver]!.subscribe = []
    return `/dag/${receiver}/subscribe`
  },
  "a stream that the node does not have": ({ dag }, pick) => {
    const outputs = dag.flatMap((node, index) => (node.publish.length === 0 ? [index] : []))
    const index = outputs[pick % Math.max(1, outputs.length)]
    if (index === undefined) return undefined
    dag[index]!.publish = [{ stream: "s0" }]
    return `/dag/${index}/publish/0/stream`
  },
  "a setting of the wrong type": ({ dag }, pick) => {
    const index = pick % dag.length
    const { settings } = dag[index]!
    const key = Object.keys(settings)[0]!
    settings[key] = { wrong: true }
    return `/dag/${index}/settings/${key}`
  },
  "an unknown member": ({ dag }, pick) => {
    const index = pick % dag.length
    Object.assign(dag[index]!, { publsh: [] })
    return `/dag/${index}/publsh`
  }
}

describe("any flowline", () => {
  it.prop(
    "that is right decodes, and what is stored of it decodes to the same",
    { seeds: Seeds },
    ({ seeds }) => {
      const flowline = build(seeds)
      const first = definition(JSON.stringify(flowline))
      expect(first.flowline).toEqual({ ...flowline, settings: {} })
      const second = definition(first.dag, "stored.json")
      expect(second).toEqual(first)
      expect(definition(JSON.stringify(first.flowline)).flowline).toEqual(first.flowline)
      expect(Result.getOrThrow(decodeStored(first.dag))).toEqual(first.flowline)
    },
    { arbitrary: { seed, runs: 500 } }
  )

  for (const [name, mutate] of Object.entries(mutations)) {
    it.prop(
      `with ${name} is refused at the right place`,
      { seeds: Seeds, pick: below(1000) },
      ({ seeds, pick }) => {
        const flowline = build(seeds)
        const pointer = mutate(flowline, pick)
        if (pointer === undefined) return
        const text = JSON.stringify(flowline, null, 2)
        const found = issues(text)
        expect(found.map((issue) => issue.pointer)).toContain(pointer)
        for (const { line, column } of found) {
          expect(line! > 0 && column! > 0 && line! <= text.split("\n").length).toBe(true)
        }
        const order = found.map(({ line, column }) => line! * 100_000 + column!)
        expect(order).toEqual([...order].sort((a, b) => a - b))
      },
      { arbitrary: { seed, runs: 200 } }
    )
  }
})
