/** The counters of a node at one time. */
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

/** The counters of the nodes, with the time in milliseconds of the page's clock. */
export interface Sample {
  readonly at: number
  readonly nodes: ReadonlyArray<NodeCount>
}

/** Milliseconds that a rate covers: the gateway receives counters every half second. */
const span = 4000

/**
 * Adds a sample, and removes those that no rate needs. Smaller counters mean a new attempt, which discards all others.
 */
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

/** The records that a node has published on a stream. */
export const sentOn = (node: NodeCount | undefined, stream: string): number => {
  if (node === undefined) return 0
  return stream === "errors" ? node.errors : (node.streams?.[stream] ?? node.recordsOut)
}

const ofComponent = ({ nodes }: Sample, component: string) => nodes.find((node) => node.component === component)

/** The growth of a counter per second; undefined until there are two samples. */
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

/** The backlog of a node: unprocessed records, unread bytes, or remaining records. */
export const backlogOf = ({ waiting, lag, total, recordsOut }: NodeCount) =>
  lag !== undefined
    ? { kind: "bytes" as const, value: lag }
    : waiting !== undefined
      ? { kind: "waiting" as const, value: waiting }
      : total !== undefined && total > recordsOut
        ? { kind: "left" as const, value: total - recordsOut }
        : undefined
