import { useEffect, useRef, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { flowlines } from "../../texts/en.ts"
import type { Editing } from "./useEditing.ts"

const t = flowlines.edit

/** Takes the text of the link that opened the page in place of a stored draft, once. The draft can be taken back. */
export const Given = ({ given, editing }: { readonly given: string | undefined; readonly editing: Editing }) => {
  const { text, isDirty, setText } = editing
  const isTaken = useRef(false)
  const [draft, setDraft] = useState<string>()
  useEffect(() => {
    if (given === undefined || isTaken.current) return
    isTaken.current = true
    if (isDirty && text !== given) setDraft(text)
    setText(given)
    history.replaceState(history.state, "", location.pathname + location.search)
  }, [given, text, isDirty, setText])
  if (draft === undefined) return null
  return (
    <div role="alert" className={css.notice}>
      {t.replaced}{" "}
      <Button
        className={look.button}
        onPress={() => {
          setText(draft)
          setDraft(undefined)
        }}
      >
        {t.takeBack}
      </Button>
    </div>
  )
}
