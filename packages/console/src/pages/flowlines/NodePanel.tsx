import { useId, useMemo, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Code } from "../../parts/Code.tsx"
import { Badge } from "../../parts/Frame.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { common, flowlines } from "../../texts/en.ts"
import { type Change, Fields } from "./Fields.tsx"
import own from "./flowlines.module.css"
import type { Issue, NodeDescriptor } from "./model.ts"
import { Prose } from "./Prose.tsx"
import { isObject, membersOf, type Path, requiredOf, type Schema, schemaAt, textOf, typeName } from "./schema.ts"

const t = flowlines.node

interface Wire {
  readonly component: string
  readonly stream: string
}

const wiresOf = (value: unknown): ReadonlyArray<Wire> =>
  (Array.isArray(value) ? value : [])
    .filter(isObject)
    .map(({ component, stream }) => ({ component: textOf(component), stream: textOf(stream) }))

const wireText = ({ component, stream }: Wire): string => `${component} · ${stream}`

/** The streams that the node receives: a list, and a selection of the others. */
const Receives = ({
  node,
  others,
  change,
  isDisabled
}: {
  readonly node: Readonly<Record<string, unknown>>
  readonly others: ReadonlyArray<Wire>
  readonly change: Change
  readonly isDisabled: boolean
}) => {
  const id = useId()
  const present = wiresOf(node["subscribe"])
  const left = others.filter((wire) => !present.some((one) => wireText(one) === wireText(wire)))
  return (
    <div className={css.field}>
      <label htmlFor={id}>{t.receives}</label>
      <ul className={own.chips}>
        {present.map((wire, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a subscription is its place in the list.
          <li key={at}>
            {wireText(wire)}
            <Button
              className={own.remove!}
              isDisabled={isDisabled}
              aria-label={t.noMore(wireText(wire))}
              onPress={() => {
                const rest = present.filter((_, index) => index !== at)
                change(["subscribe"], rest.length === 0 ? undefined : rest)
              }}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
      <select
        id={id}
        value=""
        disabled={isDisabled || left.length === 0}
        onChange={({ target }) => {
          const wire = left.find((one) => wireText(one) === target.value)
          if (wire !== undefined) change(["subscribe"], [...present, wire])
        }}
      >
        <option value="">{left.length === 0 ? t.nothingElse : t.receiveToo}</option>
        {left.map((wire) => (
          <option key={wireText(wire)} value={wireText(wire)}>
            {wireText(wire)}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A text field whose value is applied on blur or Enter. */
const Later = ({
  label,
  value,
  placeholder,
  take,
  isDisabled
}: {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly take: (value: string) => void
  readonly isDisabled: boolean
}) => {
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const leave = () => {
    if (typed !== undefined && typed.trim() !== value) take(typed.trim())
    setTyped(undefined)
  }
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        disabled={isDisabled}
        value={typed ?? value}
        placeholder={placeholder}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={leave}
        onKeyDown={({ key }) => {
          if (key === "Enter") leave()
        }}
      />
    </div>
  )
}

/** The documentation of a node, as the gateway has it. */
export const Documentation = ({ node, current }: { readonly node: NodeDescriptor; readonly current?: Path }) => {
  const root = (node.settings ?? {}) as Schema
  const required = requiredOf(root)
  const named = String(current?.[0] ?? "")
  const schema = current === undefined || current.length === 0 ? undefined : schemaAt(root, current)
  const path = current?.filter((key) => typeof key === "string").join(".")
  return (
    <div className={own.documentation}>
      <p>
        <Prose text={node.description ?? ""} />
      </p>
      <p className={css.dim}>
        {t.wires(node.inputs?.min ?? 0, node.inputs?.max ?? 0, node.outputs ?? [])} {t.runtimes(node.runtimes)}
      </p>
      {schema === undefined ? null : (
        <p className={own.here}>
          <code>{path}</code> <span className={css.dim}>{typeName(root, schema)}</span>{" "}
          <Prose text={textOf(schema["description"])} />
        </p>
      )}
      <dl>
        {[...membersOf(root, root)].map(([name, member]) => (
          <div key={name} className={name === named ? own.here : undefined}>
            <dt>
              <code>{name}</code> <span className={css.dim}>{typeName(root, member)}</span>{" "}
              {required.includes(name) ? <Badge tone="plain">{flowlines.form.required}</Badge> : null}
            </dt>
            <dd>
              <Prose text={textOf(member["description"])} />{" "}
              {member["default"] === undefined ? null : (
                <span className={css.dim}>{flowlines.form.byDefault(JSON.stringify(member["default"]))}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {node.example === undefined ? null : <Code label={t.example}>{JSON.stringify(node.example, null, 2)}</Code>}
    </div>
  )
}

/** The node at the cursor: a form of its settings, and its documentation. */
export const NodePanel = ({
  node,
  index,
  nodes,
  streams,
  cursor,
  issues,
  change,
  rename,
  isDisabled
}: {
  /** As written in the text. */
  readonly node: Readonly<Record<string, unknown>>
  readonly index: number
  readonly nodes: ReadonlyMap<string, NodeDescriptor>
  /** The streams of the other nodes. */
  readonly streams: ReadonlyArray<Wire>
  /** The path of the cursor within the node. */
  readonly cursor: Path
  readonly issues: ReadonlyArray<Issue>
  /** Changes a part of the node. */
  readonly change: Change
  /** Renames it, also in the references of others. */
  readonly rename: (name: string) => void
  readonly isDisabled: boolean
}) => {
  const [view, setView] = useState<"form" | "documentation">("form")
  const type = textOf(node["type"])
  const descriptor = nodes.get(type)
  const name = textOf(node["component"]) || type
  const settings = useMemo(() => (descriptor?.settings ?? {}) as Schema, [descriptor])
  const faultOf = (path: Path) => {
    const pointer = `/dag/${index}/settings${path.map((key) => `/${key}`).join("")}`
    return issues.find((issue) => issue.pointer === pointer || issue.pointer.startsWith(`${pointer}/`))?.detail
  }
  const published = wiresOf(node["publish"]).map(({ stream }) => stream)
  const own_ = issues.filter(({ pointer }) => pointer === `/dag/${index}` || pointer === `/dag/${index}/settings`)
  return (
    <section className={own.node} aria-label={t.title(name)}>
      <div className={own.nodeHead}>
        <h2>
          {name} <code className={css.dim}>{type}</code>
        </h2>
        {(["form", "documentation"] as const).map((one) => (
          <Button key={one} className={look.button!} aria-pressed={view === one} onPress={() => setView(one)}>
            {t.views[one]}
          </Button>
        ))}
      </div>
      {descriptor === undefined ? (
        // Without any node the catalogue is not loaded yet.
        <p className={css.dim}>{nodes.size === 0 ? common.loading : t.unknown(type)}</p>
      ) : view === "documentation" ? (
        <Documentation node={descriptor} current={cursor[0] === "settings" ? cursor.slice(1) : []} />
      ) : (
        <>
          <p className={css.dim}>
            <Prose text={descriptor.description ?? ""} />
          </p>
          {own_.map(({ detail }) => (
            <p key={detail} role="alert" className={own.fault}>
              {detail}
            </p>
          ))}
          <div className={own.wires}>
            <Later
              label={t.name}
              value={textOf(node["component"])}
              placeholder={type}
              take={rename}
              isDisabled={isDisabled}
            />
            {(descriptor.inputs?.max ?? 0) > 0 ? (
              <Receives node={node} others={streams} change={change} isDisabled={isDisabled} />
            ) : null}
            {(descriptor.outputs ?? []).length > 0 ? (
              <Later
                label={t.publishes(descriptor.outputs ?? [])}
                value={published.join(", ")}
                take={(text) => {
                  const names = text
                    .split(",")
                    .map((one) => one.trim())
                    .filter((one) => one !== "")
                  change(["publish"], names.length === 0 ? undefined : names.map((stream) => ({ stream })))
                }}
                isDisabled={isDisabled}
              />
            ) : null}
          </div>
          <Fields
            key={type}
            root={settings}
            schema={settings}
            value={node["settings"]}
            path={[]}
            change={(path, value) => change(["settings", ...path], value)}
            faultOf={faultOf}
            isDisabled={isDisabled}
          />
        </>
      )}
    </section>
  )
}
