import { GatewayError } from "@flow-gateway/client/light"
import { type Answer, useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { issuesOf } from "../../parts/Problem.tsx"
import type { Format } from "./Notation.ts"
import { isObject, textOf } from "./schema.ts"

type Nodes = Awaited<ReturnType<typeof gateway.scan.all>>
export type NodeDescriptor = Nodes["stream"][number]
export type SavedFlowline = Awaited<ReturnType<typeof gateway.flowlines.list>>[number]
export type Execution = Awaited<ReturnType<typeof gateway.executions.listOf>>[number]
export type VersionEntry = Awaited<ReturnType<typeof gateway.flowlines.versions>>[number]
export type Comparison = Awaited<ReturnType<typeof gateway.flowlines.diff>>
export type Tried = Awaited<ReturnType<typeof gateway.flowlines.tryOut>>
export type Schedule = Awaited<ReturnType<typeof gateway.schedules.list>>[number]
export type Firing = Awaited<ReturnType<typeof gateway.schedules.firings>>[number]

/** The nodes that can be used, by runtime and type. */
export const useNodes = (tenant: string): Answer<Nodes> =>
  useAnswer(tenant === "" ? undefined : (signal) => gateway.scan.all({ params: { tenant } }, { signal }), [tenant])

export const runtimes: ReadonlyArray<keyof Nodes> = ["stream", "analytics", "pybatch"]

/** The nodes of a runtime that can be used: of all runtimes where a text does not say which. */
export const nodesFor = (nodes: Nodes | undefined, runtime: unknown): ReadonlyMap<string, NodeDescriptor> => {
  const known = runtimes.find((name) => name === runtime)
  const found = nodes === undefined ? [] : known === undefined ? runtimes.flatMap((name) => nodes[name]) : nodes[known]
  return new Map(found.filter(({ error }) => error === undefined).map((node) => [node.type, node]))
}

/** The inputs of a flowline by name, with their types. */
export const inputsOf = (
  dag: ReadonlyArray<unknown>,
  nodes: ReturnType<typeof nodesFor>
): ReadonlyArray<readonly [name: string, type: string]> =>
  dag.filter(isObject).flatMap((node) => {
    const type = textOf(node["type"])
    return nodes.get(type)?.kind === "input" ? [[textOf(node["component"]) || type, type] as const] : []
  })

/** The version of a flowline that runs by default, with its text. */
export interface Current {
  readonly version: number
  readonly text: string
  readonly filename: string | null
  /** What the text says. */
  readonly flowline: Readonly<Record<string, unknown>>
}

/** The text read last: versions do not change, so polling only has to ask for the number. */
let known: { readonly key: string; readonly current: Current } | undefined

export const currentOf = async (tenant: string, id: string, signal?: AbortSignal): Promise<Current> => {
  const options = signal === undefined ? {} : { signal }
  const [newest] = await gateway.flowlines.versions({ params: { tenant, id }, query: { limit: 1 } }, options)
  const { version = 1 } = newest ?? {}
  const key = JSON.stringify([tenant, id, version])
  if (known?.key === key) return known.current
  const { text, filename, flowline } = await gateway.flowlines.version({ params: { tenant, id, version } }, options)
  known = { key, current: { version, text, filename, flowline } }
  return known.current
}

/** Whether the flowline of a page was deleted. */
export const isGone = (current: Answer<Current> | undefined): boolean =>
  current?.error instanceof GatewayError && current.error.status === 404

/** A file name for the text: its own, or one that shows its notation. */
export const fileName = (filename: string | null | undefined, format: Format): string =>
  filename ?? `flowline.${format}`

/** A fault that the gateway has found, with its place in the text. */
export interface Issue {
  readonly pointer: string
  readonly line: number
  readonly column: number
  readonly detail: string
}

/** The faults of a text that are in the problem of an answer; undefined if it is about something else. */
export const faultsOf = (error: GatewayError): ReadonlyArray<Issue> | undefined => {
  const issues = issuesOf(error).flatMap(({ pointer = "", line = 1, column = 1, detail = "" }) => [
    { pointer, line, column, detail }
  ])
  return error.status === 400 && issues.length > 0 ? issues : undefined
}

/** The index of the node in the DAG that a JSON pointer leads into. */
export const nodeIndexOf = (pointer: string): number | undefined => {
  const found = /^\/dag\/(\d+)/.exec(pointer)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Names in the runs' addresses. */
export const runQuery = (id: string) => ({ flowline: id })

/** What stands for a flowline without a name. */
export const nameOf = (flowline: Readonly<Record<string, unknown>>, id: string): string => {
  const { name } = flowline
  return typeof name === "string" && name.trim() !== "" ? name : id
}
