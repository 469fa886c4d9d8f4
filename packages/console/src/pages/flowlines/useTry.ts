import { form } from "@flow-gateway/client/light"
import { useEffect, useRef, useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { keyOf } from "../../app/stored.ts"
import { type DagEdge, type DagNode, edgeId, type Graph } from "../../parts/dag/Graph.ts"
import { common, flowlines } from "../../texts/en.ts"
import { fileName, type Issue, nodeIndexOf, type Tried } from "./model.ts"
import type { Format } from "./Notation.ts"
import { isObject } from "./schema.ts"

const t = flowlines.tryOut

/** The sample on which a flowline is tried. */
export interface Sample {
  /** Texts by the components of the inputs; an input without one reads its own source. */
  readonly texts: Readonly<Record<string, string>>
  /** Records that those read. */
  readonly first: number
  readonly parameters: Readonly<Record<string, unknown>>
}

const noSample: Sample = { texts: {}, first: 100, parameters: {} }

/** What the tab keeps; undefined if that is nothing, or something else. */
const keptSample = (key: string): Sample | undefined => {
  try {
    const { texts, first, parameters } = JSON.parse(sessionStorage.getItem(key) ?? "null") ?? {}
    const isSample =
      isObject(texts) &&
      Object.values(texts).every((one) => typeof one === "string") &&
      Number.isInteger(first) &&
      isObject(parameters)
    return isSample ? { texts: texts as Sample["texts"], first, parameters } : undefined
  } catch {
    return undefined
  }
}

/** Keeps a sample in the tab, or nothing any more. */
const keepSample = (key: string, sample?: Sample): void => {
  try {
    if (sample === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(sample))
  } catch {
    // Without storage it lasts as long as the page.
  }
}

/** The sample of a flowline, which survives a reload of the tab. */
export const useSample = (tenant: string, id: string): readonly [Sample, (sample: Sample) => void] => {
  const key = keyOf(`sample:${tenant}:${id}`)
  const [sample, setSample] = useState(() => keptSample(key) ?? noSample)
  const before = useRef(key)
  // The sample of a new flowline goes on as that of the saved one.
  useEffect(() => {
    if (before.current === key) return
    keepSample(before.current)
    keepSample(key, sample)
    before.current = key
  }, [key, sample])
  const set = (next: Sample) => {
    setSample(next)
    keepSample(key, next)
  }
  return [sample, set]
}

export interface Trial {
  readonly answer: Tried | undefined
  /** Why the last try has failed, and the text at that time: whoever goes on after that has read it. */
  readonly failed: { readonly error: unknown; readonly of: string } | undefined
  readonly isBusy: boolean
  /** Whether the text has changed since the try. */
  readonly isOld: (text: string) => boolean
  readonly run: (text: string, filename: string | null | undefined, format: Format) => void
}

/** Tries a text on a sample. A newer try ends an older one. */
export const useTry = (tenant: string, sample: Sample, inputs: ReadonlyArray<string>, textNow: string): Trial => {
  const now = useRef(textNow)
  now.current = textNow
  const [state, setState] = useState<{ readonly answer?: Tried; readonly of?: string }>({})
  const [failed, setFailed] = useState<{ readonly error: unknown; readonly of: string }>()
  const [isBusy, setBusy] = useState(false)
  const ending = useRef<AbortController>(undefined)
  const run: Trial["run"] = async (text, filename, format) => {
    ending.current?.abort()
    const mine = new AbortController()
    ending.current = mine
    setBusy(true)
    setFailed(undefined)
    const given = Object.entries(sample.texts).filter(([name, one]) => one !== "" && inputs.includes(name))
    const payload = form({
      file: [text, fileName(filename, format)],
      samples: JSON.stringify(Object.fromEntries(given)),
      first: String(sample.first),
      parameters: JSON.stringify(sample.parameters)
    })
    try {
      const answer = await answering(() =>
        gateway.flowlines.tryOut({ params: { tenant }, payload }, { signal: mine.signal })
      )
      if (!mine.signal.aborted) setState({ answer, of: text })
    } catch (error) {
      if (!mine.signal.aborted) setFailed({ error, of: now.current })
    } finally {
      if (ending.current === mine) setBusy(false)
    }
  }
  return {
    answer: state.answer,
    failed,
    isBusy,
    isOld: (text) => state.of !== undefined && state.of !== text,
    run: (...given) => void run(...given)
  }
}

const countsOf = (into: number, out: number, sends: boolean, receives: boolean): ReadonlyArray<string> =>
  sends && receives ? [t.records(into, out)] : receives ? [t.recordsIn(into)] : [t.recordsOut(out)]

/** The graph with what a try has counted at its nodes and edges. */
export const withCounts = ({ nodes, edges }: Graph, tried: Tried | undefined): Graph => {
  if (tried === undefined) return { nodes, edges }
  const byName = new Map(tried.nodes.map((node) => [node.component, node]))
  const counts = new Map(
    tried.edges.flatMap(({ from, stream, to, count }) => to.map((one) => [edgeId(from, stream, one), count] as const))
  )
  const sends = new Set(edges.map(({ from }) => from))
  const receives = new Set(edges.map(({ to }) => to))
  return {
    nodes: nodes.map((node): DagNode => {
      const found = byName.get(node.id)
      if (found === undefined) return node
      const rejected = (found.rejected?.count ?? 0) + (found.lost?.count ?? 0)
      return {
        ...node,
        tone: tried.component === node.id ? "bad" : rejected > 0 ? "warn" : "good",
        facts: [
          ...countsOf(found.recordsIn, found.recordsOut, sends.has(node.id), receives.has(node.id)),
          ...(rejected > 0 ? [t.rejected(rejected)] : []),
          ...(found.dropped !== undefined && found.dropped.count > 0 ? [t.dropped(found.dropped.count)] : [])
        ]
      }
    }),
    edges: edges.map((edge): DagEdge => {
      const count = edge.id === undefined ? undefined : counts.get(edge.id)
      if (count === undefined) return edge
      const end = ` · ${common.count(count)}`
      return { ...edge, label: (edge.label ?? "") + end, count: end }
    })
  }
}

/** The graph with the first fault of each node. */
export const withProblems = ({ nodes, edges }: Graph, issues: ReadonlyArray<Issue>): Graph => {
  const problems = new Map<number, string>()
  for (const { pointer, detail } of issues) {
    const found = nodeIndexOf(pointer)
    if (found !== undefined && !problems.has(found)) problems.set(found, detail)
  }
  return {
    edges,
    nodes: nodes.map((node, at) => {
      const problem = problems.get(at)
      return problem === undefined ? node : { ...node, problem, tone: "bad" }
    })
  }
}
