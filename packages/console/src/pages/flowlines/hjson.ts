import { type Marked, Source, TextFault } from "@flow-gateway/client/hjson"
import { graphOfFlowline } from "../../parts/dag/Graph.ts"
import { edited, keyed, withNode } from "./hjsonEdits.ts"
import { spotsAt } from "./hjsonPlace.ts"
import { type Dialect, elementsOf, readOf } from "./hjsonStyle.ts"
import type { Notation } from "./Notation.ts"
import type { Path } from "./schema.ts"

/** The path of the innermost part that stands at an offset. */
const pathAt = (root: Marked, offset: number): Path => {
  const path: Array<string | number> = []
  let part = root
  for (;;) {
    const found = elementsOf(part).findLast(({ start }) => start <= offset)
    if (found === undefined || offset > found.mark.end) return path
    path.push(found.key)
    part = found
  }
}

const notation = (dialect: Dialect): Notation => ({
  format: dialect,
  read: (text) => {
    const read = readOf(text, dialect)
    if (read instanceof TextFault) {
      const fault = { ...new Source(text).position(read.at), detail: read.detail }
      const graph = graphOfFlowline(undefined)
      return { format: dialect, graph, places: [], faults: [fault], value: undefined, pathAt: () => [] }
    }
    const { value, mark } = read
    return {
      format: dialect,
      graph: graphOfFlowline(value),
      places: (mark.members?.get("dag")?.items ?? []).map(({ at, end }) => ({ from: at, to: end })),
      faults: [],
      value,
      pathAt: (offset) => pathAt(read, offset)
    }
  },
  edited: (text, path, value) => edited(text, path, value, dialect),
  keyed: (text, path, key) => keyed(text, path, key, dialect),
  withNode: (text, node) => withNode(text, node, dialect),
  spotsAt: (text, offset) => spotsAt(text, offset, dialect)
})

export const hjson = notation("hjson")

export const json = notation("json")
