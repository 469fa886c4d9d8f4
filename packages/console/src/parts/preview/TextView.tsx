import { EditorState } from "@codemirror/state"
import { useMemo } from "react"
import { preview as t } from "../../texts/en.ts"
import { Editor } from "../Editor.tsx"
import type { Language } from "../languages.ts"
import { useLanguage } from "../useLanguage.ts"
import css from "./preview.module.css"

const languages: ReadonlyArray<readonly [RegExp, Language]> = [
  [/\.(?:json|ndjson|jsonl)$/i, "json"],
  [/\.ya?ml$/i, "yaml"],
  [/\.hjson$/i, "hjson"],
  [/\.(?:js|ts|flowlet)$/i, "javascript"],
  [/\.sql$/i, "sql"]
]

const lineHeight = 19.4
const mostLines = 30

/** A read-only text that can be selected, with syntax highlighting. */
const TextView = ({ name, text }: { readonly name: string; readonly text: string }) => {
  const language = useLanguage(languages.find(([pattern]) => pattern.test(name))?.[1])
  const extensions = useMemo(() => [EditorState.readOnly.of(true), language ?? []], [language])
  const lines = Math.min(mostLines, text.split("\n").length)
  return (
    <div className={css.text} style={{ height: Math.ceil(lines * lineHeight) + 16 }}>
      <Editor value={text} label={t.label(name)} extensions={extensions} onChange={() => {}} className={css.editor!} />
    </div>
  )
}

export default TextView
