import { useEffect, useState } from "react"
import { Button } from "../parts/Button.tsx"
import { LaterDialog } from "../parts/Later.tsx"
import { shell } from "../texts/en.ts"
import css from "./shell.module.css"

const dialog = () => import("./KeysDialog.tsx")

/** Whether key presses enter text there. An editor is in a shadow tree, so the event only names its host. */
const takesText = (event: KeyboardEvent): boolean => {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=radio], [type=checkbox]), textarea, select"))
  )
}

/** Shows the keys of the page, by a button or by the key `?`. */
export const Keys = () => {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || takesText(event)) return
      // An open dialog has the keyboard.
      if (document.querySelector("dialog[open]") !== null) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  return (
    <>
      <Button className={css.choice} aria-label={shell.keys.title} onPress={() => setOpen(true)}>
        ?
      </Button>
      {isOpen ? <LaterDialog load={dialog} props={{ close: () => setOpen(false) }} /> : null}
    </>
  )
}
