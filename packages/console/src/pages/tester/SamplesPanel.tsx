import { EditorView } from "@codemirror/view"
import { useEffect, useId, useMemo, useRef, useState } from "react"
import { toast } from "../../app/toasts.ts"
import { Editor } from "../../parts/Editor.tsx"
import { FileButton } from "../../parts/FileButton.tsx"
import { Later } from "../../parts/Later.tsx"
import { tester as t } from "../../texts/en.ts"
import { type Draft, longestDraft } from "./Draft.ts"
import { readFile } from "./files.ts"
import { sampleMarks, show } from "./Marks.ts"
import type { Selected } from "./Selection.ts"
import type { Outcome, SampleResult } from "./Testing.ts"
import css from "./tester.module.css"

const selectionBar = () => import("./SelectionBar.tsx")

/** Maximum UTF-16 units of a selection that is examined. */
const longest = 64 * 1024

/** The log lines, with the colours of their fields. */
export const SamplesPanel = ({
  draft,
  change,
  open,
  tenant,
  colours,
  outcome,
  current,
  setCurrent,
  insert,
  setPattern,
  propose,
  ready
}: {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  readonly open: (draft: Draft) => void
  readonly tenant: string
  readonly colours: ReadonlyMap<string, number>
  readonly outcome: Outcome | undefined
  readonly current: number
  readonly setCurrent: (line: number) => void
  readonly insert: (text: string, selected?: string) => void
  readonly setPattern: (text: string) => void
  readonly propose: (samples: string) => void
  readonly ready: (view: EditorView) => void
}) => {
  const id = useId()
  const view = useRef<EditorView>(undefined)
  const [selected, setSelected] = useState<Selected>()

  const results = useMemo(() => {
    const found = new Map<string, SampleResult>()
    for (const result of outcome?.results ?? []) found.set(result.input, result)
    return found
  }, [outcome])
  useEffect(() => {
    view.current?.dispatch({ effects: show.of({ colours, results }) })
  }, [colours, results])

  // Scrolls to the line that was selected among the results.
  useEffect(() => {
    const editor = view.current
    if (editor === undefined || current > editor.state.doc.lines) return
    const { state } = editor
    if (state.doc.lineAt(state.selection.main.head).number === current) return
    const { from } = state.doc.line(current)
    editor.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) })
  }, [current])

  const extensions = useMemo(
    () => [
      sampleMarks,
      EditorView.updateListener.of(({ state, selectionSet, docChanged }) => {
        if (!selectionSet && !docChanged) return
        const { from, to, head, empty } = state.selection.main
        setCurrent(state.doc.lineAt(head).number)
        if (empty || to - from > longest) {
          setSelected(undefined)
          return
        }
        const line = state.doc.lineAt(from)
        setSelected({
          text: state.sliceDoc(from, to),
          before: state.sliceDoc(line.from, from),
          after: to <= line.to ? state.sliceDoc(to, line.to) : ""
        })
      })
    ],
    [setCurrent]
  )

  const take = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > longestDraft) {
      toast(t.shareDialog.largeFile)
      return
    }
    const found = await readFile(file)
    if (typeof found === "string") change({ samples: found })
    else open(found)
  }

  return (
    <section
      className={`${css.panel} ${css.samples}`}
      aria-labelledby={id}
      // Before the editor handles the drop and inserts the file's text.
      onDropCapture={(event) => {
        const [file] = event.dataTransfer.files
        if (file === undefined) return
        event.preventDefault()
        event.stopPropagation()
        void take(file)
      }}
      onDragOver={(event) => event.preventDefault()}
    >
      <div className={css.panelHead}>
        <h2 id={id}>{t.samples}</h2>
        <span className={css.help}>{t.samplesHelp}</span>
        <FileButton onFiles={([file]) => void take(file)}>{t.openLog}</FileButton>
      </div>
      <Editor
        className={css.lines!}
        value={draft.samples}
        label={t.samples}
        help={t.samplesHelp}
        extensions={extensions}
        onChange={(samples) => change({ samples })}
        ready={(made) => {
          view.current = made
          ready(made)
          return undefined
        }}
      />
      {selected === undefined ? null : (
        <Later load={selectionBar} props={{ selected, draft, tenant, insert, setPattern, propose }} />
      )}
    </section>
  )
}
