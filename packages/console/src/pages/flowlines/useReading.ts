import { useEffect, useMemo, useRef, useState } from "react"
import { type Graph, graphOfFlowline } from "../../parts/dag/Graph.ts"
import { formatsOf } from "./formats.ts"
import { useActed, useLoaded } from "./late.ts"
import type { FlowlineText, NodePlace } from "./Notation.ts"
import type { Path } from "./schema.ts"
import { toolsFor } from "./tools.ts"

/** UTF-16 units up to which a text is parsed at each key. */
const small = 32 * 1024
/** A larger text is parsed when typing pauses; one beyond this is not parsed here at all. */
const large = 1024 * 1024
const quiet = 400

/** A text of which it is known what it says, or what an older one said. */
export interface Known {
  readonly text: string
  readonly flowline: Readonly<Record<string, unknown>>
  readonly isOld?: boolean
}

const unread: FlowlineText = {
  format: "yaml",
  graph: { nodes: [], edges: [] },
  places: [],
  faults: [],
  value: undefined,
  pathAt: undefined
}

/** What is known of a text before it is parsed; undefined if nothing. */
const begun = (
  text: string,
  filename: string | null | undefined,
  known: Known | undefined
): FlowlineText | undefined => {
  const [format, ...others] = formatsOf(text, filename)
  if (known === undefined || others.length > 0) return undefined
  return { ...unread, format, graph: graphOfFlowline(known.flowline), value: known.flowline }
}

const nowhere = (): Path => []

export interface Reading extends FlowlineText {
  readonly pathAt: (offset: number) => Path
  /** The text to parse. */
  readonly of: string
  /** Whether the results are those of that text: until it is parsed, they are those of the former one. */
  readonly isRead: boolean
  /** The graph of the last text without faults. */
  readonly lastGraph: Graph
  /** Whether that was an older text. */
  readonly isGraphOld: boolean
  readonly isTooLarge: boolean
  /** Calls a function with the places of the nodes: immediately if they are known. */
  readonly withPlaces: (run: (places: ReadonlyArray<NodePlace>) => void) => void
}

/**
 * Reads the text of a flowline as it is typed. What reads it is loaded as soon as the reader does anything, or the text is
 * a known one: until then there are no places.
 *
 * @param filename undefined as long as it is not known
 */
export const useReading = (
  text: string,
  filename: string | null | undefined,
  candidates: ReadonlyArray<Known | undefined>
): Reading => {
  const [late, setLate] = useState(text)
  useEffect(() => {
    if (text.length <= small) {
      setLate(text)
      return undefined
    }
    const timer = setTimeout(() => setLate(text), quiet)
    return () => clearTimeout(timer)
  }, [text])
  const of = text.length <= small ? text : late
  const isTooLarge = of.length > large
  const known = candidates.find((candidate) => candidate?.text === of)
  const first = useMemo(() => (isTooLarge ? unread : begun(of, filename, known)), [of, filename, known, isTooLarge])
  const tools = useMemo(() => toolsFor(of, filename), [of, filename])
  const isActed = useActed()
  const loaded = useLoaded(tools, filename !== undefined && (isActed || first === undefined))
  const read = useMemo(
    () => (isTooLarge ? unread : (loaded?.notationOf(of, filename).read(of) ?? first)),
    [of, filename, isTooLarge, loaded, first]
  )
  const last = useRef(unread)
  if (read !== undefined) last.current = read
  const isOld = read === first && known?.isOld === true
  const isCurrent = read !== undefined && read.faults.length === 0 && !isOld
  const graph = useRef<Graph>(undefined)
  if (isCurrent || graph.current === undefined) graph.current = read?.graph
  const { places, pathAt } = last.current
  return {
    ...last.current,
    pathAt: pathAt ?? nowhere,
    withPlaces: (run) =>
      pathAt !== undefined || isTooLarge
        ? run(places)
        : tools.use(({ notationOf }) => run(notationOf(of, filename).read(of).places)),
    of,
    isRead: read !== undefined,
    lastGraph: graph.current ?? unread.graph,
    isGraphOld: graph.current !== undefined && !isCurrent,
    isTooLarge
  }
}
