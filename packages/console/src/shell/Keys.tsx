import { useEffect, useState } from "react"
import { Button } from "../parts/Button.tsx"
import { LaterDialog } from "../parts/Later.tsx"
import { shell } from "../texts/en.ts"
import css from "./shell.module.css"
import { takesText } from "./takesText.ts"

const dialog = () => import("./KeysDialog.tsx")

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
