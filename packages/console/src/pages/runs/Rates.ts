/** What is known of a node at a time. */
interface NodeCount {
  readonly component: string
  readonly recordsIn: number
  readonly recordsOut: number
  readonly errors: number
  readonly streams?: Readonly<Record<string, number>>
  readonly waiting?: number
  readonly lag?: number
  readonly total?: number
}

/** The counters of the nodes at a time of the page's clock, in milliseconds. */
export interface Sample {
  readonly at: number
  readonly nodes: ReadonlyArray<NodeCount>
}

/** Milliseconds over which a rate is taken: the gateway gets counters every half second. */
const span = 4000

/** Adds a sample, and forgets those that no rate needs. A run that begins again, with smaller counters, begins anew. */
export const withSample = (samples: ReadonlyArray<Sample>, sample: Sample): ReadonlyArray<Sample> => {
  const last = samples.at(-1)
  const isSmaller = sample.nodes.some((node) => {
    const before = last?.nodes.find(({ component }) => component === node.component)
    return before !== undefined && before.recordsIn + before.recordsOut > node.recordsIn + node.recordsOut
  })
  if (isSmaller) return [sample]
  const kept = samples.filter(
    ({ at }, index) => at >= sample.at - span || (samples[index + 1]?.at ?? 0) > sample.at - span
  )
  return [...kept, sample]
}

/** The records that have gone out of a node on a stream. */
export const sentOn = (node: NodeCount | undefined, stream: string): number => {
  if (node === undefined) return 0
  return stream === "errors" ? node.errors : (node.streams?.[stream] ?? node.recordsOut)
}

const ofComponent = ({ nodes }: Sample, component: string) => nodes.find((node) => node.component === component)

/** What a count grows by in a second; undefined while there is nothing to compare it with. */
export const rateOf = (
  samples: ReadonlyArray<Sample>,
  component: string,
  count: (node: NodeCount | undefined) => number
): number | undefined => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at <= first.at) return undefined
  const grown = count(ofComponent(last, component)) - count(ofComponent(first, component))
  return Math.max(0, (grown * 1000) / (last.at - first.at))
}

/** What waits before a node: records that it has not processed, bytes that it has not read, or records that are left. */
export const backlogOf = ({ waiting, lag, total, recordsOut }: NodeCount) =>
  lag !== undefined
    ? { kind: "bytes" as const, value: lag }
    : waiting !== undefined
      ? { kind: "waiting" as const, value: waiting }
      : total !== undefined && total > recordsOut
        ? { kind: "left" as const, value: total - recordsOut }
        : undefined
