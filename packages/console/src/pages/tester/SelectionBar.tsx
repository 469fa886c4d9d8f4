import { useEffect, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import parts from "../../parts/parts.module.css"
import { tester as t } from "../../texts/en.ts"
import type { Draft } from "./Draft.ts"
import { fieldName, literal, longestSelection, matching, type Selected } from "./Selection.ts"
import css from "./tester.module.css"

const quiet = 200

/** Proposals for the selected text of the samples. */
const SelectionBar = ({
  selected: { text, before, after },
  draft,
  tenant,
  insert,
  setPattern,
  propose
}: {
  readonly selected: Selected
  readonly draft: Draft
  readonly tenant: string
  readonly insert: (text: string, selected?: string) => void
  readonly setPattern: (text: string) => void
  readonly propose: (samples: string) => void
}) => {
  const [names, setNames] = useState<ReadonlyArray<string>>()
  const isPart = !text.includes("\n") && text.length <= longestSelection && draft.operator === "grok"
  useEffect(() => {
    setNames(undefined)
    if (!isPart) return undefined
    const ending = new AbortController()
    const timer = setTimeout(() => {
      matching(text, tenant, ending.signal).then(setNames, () => {})
    }, quiet)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [text, tenant, isPart])

  const use = (name: string) => {
    const field = fieldName(before)
    const reference = `%{${name}:${field}}`
    if (draft.texts.grok.trim() === "") setPattern(`^${literal(before)}${reference}${literal(after)}$`)
    else insert(reference, field)
  }
  return (
    <div className={css.selection} role="group" aria-label={t.selection}>
      {isPart ? <span className={css.help}>{t.selection}</span> : null}
      {names?.map((name) => (
        <Button key={name} className={parts.button} onPress={() => use(name)}>
          {name}
        </Button>
      ))}
      {names?.length === 0 ? <span className={css.help}>{t.selectionNone}</span> : null}
      <Button className={parts.button} onPress={() => propose(text)}>
        {t.proposeLines}
      </Button>
    </div>
  )
}

export default SelectionBar
