import * as Predicate from "effect/Predicate"
import { unknownName } from "../../../languages/Suggest.ts"
import type { NodeType } from "../../../nodes/Node.ts"
import { maxParameterSets } from "../../../protocol/FlowlineTests.ts"
import type { Finding } from "./Finding.ts"
import { declaredIn, givenFindings } from "./ParameterCheck.ts"

/** A node as far as tests name it. */
interface TestedNode {
  readonly component: string | undefined
  readonly type: NodeType | undefined
  readonly publish: ReadonlyArray<{ readonly stream?: string }> | undefined
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (Predicate.isObject(value) ? value : {})

/** What the schema cannot see in the tests of a flowline: names that nothing has. The schema reports the rest. */
export const checkTests = (value: unknown, nodes: ReadonlyArray<TestedNode>): ReadonlyArray<Finding> => {
  const byName = new Map(nodes.map((node) => [node.component, node]))
  const names = [...byName.keys()].filter((name) => name !== undefined)
  const inputs = names.filter((name) => byName.get(name)?.type?.kind === "input")
  const seen = new Set<string>()

  const checkGiven = (given: unknown, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Finding> =>
    Object.keys(membersOf(given)).flatMap((name) => {
      const node = byName.get(name)
      const own = [...path, name]
      if (node === undefined)
        return [{ path: own, key: true, detail: unknownName(name, inputs, "among the inputs of the flowline") }]
      if (node.type === undefined || node.type.kind === "input") return []
      return [{ path: own, key: true, detail: `${name} is no input: a test gives records to inputs` }]
    })

  const checkExpectation = (expectation: unknown, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Finding> => {
    const { at, stream, records, rejected, count } = membersOf(expectation)
    const findings: Array<Finding> = []
    if (records === undefined && rejected === undefined && count === undefined)
      findings.push({ path, detail: "Expected records, rejected or count" })
    if (typeof at !== "string" || at === "") return findings
    const node = byName.get(at)
    if (node === undefined) {
      findings.push({ path: [...path, "at"], detail: unknownName(at, names, "among the components of the flowline") })
      return findings
    }
    if (node.type?.kind === "output") {
      if (stream !== undefined)
        findings.push({ path: [...path, "stream"], detail: `${at} is an output: it receives records` })
      return findings
    }
    const published = node.publish?.flatMap(({ stream }) => stream ?? [])
    if (published === undefined) return findings
    if (typeof stream === "string" && !published.includes(stream)) {
      const detail = unknownName(stream, published, `among the streams of ${at}`)
      findings.push({ path: [...path, "stream"], detail })
    }
    const free = published.filter((name) => name !== "errors")
    if (stream === undefined && (records !== undefined || count !== undefined) && free.length !== 1) {
      const detail =
        free.length === 0 ? `${at} publishes nothing` : `${at} publishes ${free.join(", ")}: name the stream`
      findings.push({ path, detail })
    }
    return findings
  }

  const { declared } = declaredIn(value)
  const sets = new Set<string>()
  const checkParameters = (parameters: unknown, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Finding> => {
    const values = membersOf(parameters)
    sets.add(JSON.stringify(values))
    if (sets.size > maxParameterSets) {
      return [{ path, detail: `The tests of a flowline have at most ${maxParameterSets} different sets of parameters` }]
    }
    return givenFindings(declared, values).map((fault) => ({ path: [...path, ...fault.path], detail: fault.detail }))
  }

  return listOf(membersOf(value)["tests"]).flatMap((test, index) => {
    const path = ["tests", index]
    const { name, given, expect, parameters } = membersOf(test)
    const twice =
      typeof name === "string" && seen.has(name)
        ? [{ path: [...path, "name"], detail: `There is a test ${JSON.stringify(name)} already` }]
        : []
    if (typeof name === "string") seen.add(name)
    return [
      ...twice,
      ...checkParameters(parameters, [...path, "parameters"]),
      ...checkGiven(given, [...path, "given"]),
      ...listOf(expect).flatMap((one, at) => checkExpectation(one, [...path, "expect", at]))
    ]
  })
}
