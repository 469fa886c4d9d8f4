import { type ReactNode, useMemo, useSyncExternalStore } from "react"
import { stored } from "../../app/stored.ts"
import { dag as t } from "../../texts/en.ts"
import { Choice } from "../Choice.tsx"
import { Later } from "../Later.tsx"
import css from "./dag.module.css"
import { type DagEdge, type DagNode, type Graph, inOrder, wiresOf } from "./Graph.ts"
import type { OnSelect } from "./Picture.tsx"

const picture = () => import("./Picture.tsx")
const table = () => import("./AsTable.tsx")

const views = ["picture", "list", "table"] as const
type View = (typeof views)[number]

const kept = stored<View>("dag", "picture", (value) => views.find((view) => view === value))

/** Largest number of nodes for the picture: more take seconds to draw, and nobody can read them. */
const mostDrawn = 400

/**
 * The DAG of a flowline as a picture, list or table with the same content. The browser remembers the reader's choice.
 * The picture is loaded when it is shown. It fills its container, which must have a height.
 */
export const Dag = ({
  nodes,
  edges,
  label,
  selected,
  onSelect,
  actions
}: {
  readonly nodes: ReadonlyArray<DagNode>
  readonly edges: ReadonlyArray<DagEdge>
  readonly label: string
  /** The id of a node or edge. */
  readonly selected?: string | undefined
  readonly onSelect?: OnSelect | undefined
  /** Shown beside the choice of the view. */
  readonly actions?: ReactNode
}) => {
  const chosen = useSyncExternalStore(kept.subscribe, kept.get)
  const isLarge = nodes.length > mostDrawn
  const view = isLarge && chosen === "picture" ? "list" : chosen
  const graph = useMemo(() => ({ nodes, edges }), [nodes, edges])
  return (
    <section className={css.dag} aria-label={label}>
      <div className={css.bar}>
        <Choice
          label={t.view}
          options={views
            .filter((name) => !isLarge || name !== "picture")
            .map((name) => ({ key: name, title: t.views[name] }))}
          chosen={view}
          choose={kept.set}
          size="small"
        />
        {isLarge ? <span className={css.note}>{t.large(mostDrawn)}</span> : null}
        {actions}
      </div>
      <div className={css.content}>
        {view === "picture" ? <Later load={picture} props={{ graph, label, selected, onSelect }} /> : null}
        {view === "list" ? <List graph={graph} selected={selected} onSelect={onSelect} /> : null}
        {view === "table" ? <Later load={table} props={{ graph, label, selected, onSelect }} /> : null}
      </div>
    </section>
  )
}

/** A selectable element, if selection is possible. */
const Selectable = ({
  id,
  selected,
  onSelect,
  children
}: {
  readonly id: string | undefined
  readonly selected: string | undefined
  readonly onSelect: OnSelect | undefined
  readonly children: ReactNode
}) =>
  id === undefined || onSelect === undefined ? (
    <span>{children}</span>
  ) : (
    <button type="button" className={css.choice} aria-pressed={id === selected} onClick={() => onSelect(id)}>
      {children}
    </button>
  )

/** Number of nodes that the list renders in full: rows out of sight cost little, but not nothing. */
const mostListed = 1000

const List = ({
  graph,
  selected,
  onSelect
}: {
  readonly graph: Graph
  readonly selected: string | undefined
  readonly onSelect: OnSelect | undefined
}) => {
  const ordered = useMemo(() => inOrder(graph), [graph])
  const { into, out } = useMemo(() => wiresOf(graph), [graph])
  const titles = useMemo(() => new Map(graph.nodes.map(({ id, title }) => [id, title])), [graph])
  const wires = (text: string, edges: ReadonlyArray<DagEdge> | undefined, other: "from" | "to") =>
    edges === undefined ? null : (
      <p className={css.wires}>
        {text}{" "}
        {edges.map((edge, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two edges may be the same in a faulty flowline.
          <span key={at}>
            {at === 0 ? "" : ", "}
            <Selectable id={edge[other]} selected={undefined} onSelect={onSelect}>
              {titles.get(edge[other]) ?? edge[other]}
            </Selectable>{" "}
            {edge.label === undefined ? null : (
              <Selectable id={edge.id} selected={selected} onSelect={onSelect}>
                ({edge.label})
              </Selectable>
            )}
          </span>
        ))}
      </p>
    )
  return (
    <ol className={css.list}>
      {ordered.slice(0, mostListed).map(({ id, title, type, tone, facts = [], problem }) => (
        <li key={id} className={`${css.item} ${id === selected ? css.selected : ""} ${css[tone ?? "plain"]}`}>
          <p className={css.head}>
            <Selectable id={id} selected={selected} onSelect={onSelect}>
              <b>{title}</b>
            </Selectable>{" "}
            <code>{type}</code> {facts.length === 0 ? null : <span className={css.note}>{facts.join(" · ")}</span>}
          </p>
          {problem === undefined ? null : <p className={css.faultText}>{problem}</p>}
          {wires(t.from, into.get(id), "from")}
          {wires(t.to, out.get(id), "to")}
        </li>
      ))}
    </ol>
  )
}
