import type { Extension } from "@codemirror/state"
import { useEffect, useState } from "react"
import { type Language, languageOf } from "./languages.ts"

/** The language of an editor, once loaded. Until then the editor works without syntax colours. */
export const useLanguage = (name: Language | undefined): Extension | undefined => {
  const [found, setFound] = useState<{ readonly name: Language; readonly extension: Extension }>()
  useEffect(() => {
    if (name === undefined) return
    let isOver = false
    languageOf(name).then(
      (extension) => {
        if (!isOver) setFound({ name, extension })
      },
      () => {}
    )
    return () => {
      isOver = true
    }
  }, [name])
  return found?.name === name ? found?.extension : undefined
}
