import { useMemo } from "react"
import { dag as t } from "../../texts/en.ts"
import { Badge } from "../Frame.tsx"
import { type Column, Table } from "../Table.tsx"
import { type DagEdge, type DagNode, type Graph, inOrder, wiresOf } from "./Graph.ts"
import type { OnSelect } from "./Picture.tsx"

const wireText = (edges: ReadonlyArray<DagEdge> = [], other: "from" | "to"): string =>
  edges.map((edge) => (edge.label === undefined ? edge[other] : `${edge[other]} (${edge.label})`)).join(", ")

/** The nodes as rows of a table, with their edges. */
const AsTable = ({
  graph,
  label,
  selected,
  onSelect
}: {
  readonly graph: Graph
  readonly label: string
  readonly selected: string | undefined
  readonly onSelect: OnSelect | undefined
}) => {
  const rows = useMemo(() => inOrder(graph), [graph])
  const columns = useMemo((): ReadonlyArray<Column<DagNode>> => {
    const { into, out } = wiresOf(graph)
    const all: ReadonlyArray<Column<DagNode> | undefined> = [
      { id: "node", title: t.node, value: ({ title }) => title, cell: ({ title }) => title },
      { id: "type", title: t.type, value: ({ type }) => type, cell: ({ type }) => <code>{type}</code> },
      {
        id: "from",
        title: t.from,
        cell: ({ id }) => wireText(into.get(id), "from"),
        width: "minmax(110px, 1.3fr)"
      },
      { id: "to", title: t.to, cell: ({ id }) => wireText(out.get(id), "to"), width: "minmax(110px, 1.3fr)" },
      graph.nodes.some(({ facts = [] }) => facts.length > 0)
        ? {
            id: "facts",
            title: t.facts,
            cell: ({ facts = [] }) => facts.join(" · "),
            width: "minmax(140px, 1.6fr)"
          }
        : undefined,
      graph.nodes.some(({ problem }) => problem !== undefined)
        ? {
            id: "problem",
            title: t.problem,
            value: ({ problem = "" }) => problem,
            cell: ({ problem }) => (problem === undefined ? "" : <Badge tone="bad">{problem}</Badge>),
            width: "minmax(120px, 1.6fr)"
          }
        : undefined
    ]
    return all.filter((column) => column !== undefined)
  }, [graph])
  return (
    <Table
      label={label}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      current={selected}
      onOpen={onSelect === undefined ? undefined : ({ id }) => onSelect(id)}
      height="fill"
    />
  )
}

export default AsTable
