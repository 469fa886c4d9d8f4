import { toast } from "../app/toasts.ts"
import { common } from "../texts/en.ts"

/** Copies a text. Over plain HTTP, browsers only have the old copy command. */
export const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement("textarea")
    field.value = text
    // Outside of an open modal dialog nothing can be selected.
    const parent = document.querySelector("dialog[open]") ?? document.body
    parent.append(field)
    field.select()
    const isCopied = document.execCommand("copy")
    field.remove()
    return isCopied
  }
}

/** Copies a text, and returns whether the browser allowed it. */
export const copyAndSay = async (text: string): Promise<void> =>
  toast((await copy(text)) ? common.copied : common.notCopied)
