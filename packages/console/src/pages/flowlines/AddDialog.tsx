import { useId, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import type { NodeDescriptor } from "./model.ts"
import { Documentation } from "./NodePanel.tsx"

const t = flowlines.add

const kinds = ["input", "processing", "output"] as const

/** The nodes that can be added, with their documentation. */
const AddDialog = ({
  nodes,
  after,
  add,
  close
}: {
  readonly nodes: ReadonlyMap<string, NodeDescriptor>
  /** The node whose records the new one gets. */
  readonly after: string | undefined
  readonly add: (node: NodeDescriptor) => void
  readonly close: () => void
}) => {
  const id = useId()
  const [wanted, setWanted] = useState("")
  const [chosen, setChosen] = useState<string>()
  const words = wanted.toLowerCase().split(/\s+/)
  const found = [...nodes.values()].filter(({ type, description = "" }) => {
    const text = `${type} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const node = found.find(({ type }) => type === chosen) ?? found[0]
  return (
    <Dialog title={t.title} close={close}>
      <div className={css.field}>
        <label htmlFor={id}>{t.search}</label>
        <input id={id} type="search" value={wanted} onChange={({ target }) => setWanted(target.value)} />
      </div>
      <div className={own.choices}>
        <div className={own.types}>
          {kinds.map((kind) => {
            const list = found.filter((one) => one.kind === kind)
            return list.length === 0 ? null : (
              <fieldset key={kind}>
                <legend>{flowlines.kinds[kind]}</legend>
                {list.map(({ type }) => (
                  <label key={type} className={own.type}>
                    <input type="radio" name={id} checked={type === node?.type} onChange={() => setChosen(type)} />
                    <code>{type}</code>
                  </label>
                ))}
              </fieldset>
            )
          })}
        </div>
        {node === undefined ? <p className={css.dim}>{t.none}</p> : <Documentation node={node} />}
      </div>
      <div className={css.actions}>
        <Button
          className={look.primary!}
          isDisabled={node === undefined}
          onPress={() => {
            if (node !== undefined) add(node)
            close()
          }}
        >
          {node === undefined ? t.add : t.addType(node.type)}
        </Button>
        {after === undefined || node?.kind === "input" ? null : <span className={css.dim}>{t.after(after)}</span>}
      </div>
    </Dialog>
  )
}

export default AddDialog
