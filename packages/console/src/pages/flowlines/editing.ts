import { type Extension, StateEffect, StateField } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView, keymap } from "@codemirror/view"
import { languageOf } from "../../parts/languages.ts"
import type { Issue } from "./model.ts"
import type { Format } from "./Notation.ts"

const setMarks = StateEffect.define<DecorationSet>()

/** The marks of the faults, which move with the text until there are newer ones. */
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, transaction) => {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value
    return before.map(transaction.changes)
  },
  provide: (field) => EditorView.decorations.from(field)
})

const look = EditorView.theme({ ".faulty": { boxShadow: "inset 3px 0 var(--bad)" } })

/** Goes to the next fault after the cursor, or to the first one. */
const nextFault = (view: EditorView): boolean => {
  const places: Array<number> = []
  const found = view.state.field(marks, false)
  found?.between(0, view.state.doc.length, (from, to) => {
    if (to > from) places.push(from)
  })
  const { head } = view.state.selection.main
  const anchor = places.find((from) => from > head) ?? places[0]
  if (anchor === undefined) return false
  view.dispatch({ selection: { anchor }, scrollIntoView: true })
  return true
}

/** What the editor of a flowline has besides: colours, and the marks of faults. */
export const editing = async (format: Format): Promise<Extension> => [
  await languageOf(format),
  marks,
  look,
  keymap.of([{ key: "F8", run: nextFault }])
]

/** Marks the faults of the text at their places. */
export const showFaults = (view: EditorView, faults: ReadonlyArray<Issue>): void => {
  const { doc } = view.state
  const found = faults.map(({ line, column, detail }) => {
    const at = doc.line(Math.max(1, Math.min(line, doc.lines)))
    const from = Math.min(at.to, at.from + Math.max(0, column - 1))
    const length = /^[^\s,[\]{}]+/.exec(doc.sliceString(from, at.to))?.[0].length ?? 0
    const to = Math.min(at.to, from + Math.max(1, length))
    // At the end of a line, the character before it is marked.
    const begin = from < to ? from : Math.max(at.from, from - 1)
    return { line: at.from, mark: Decoration.mark({ class: "fault", attributes: { title: detail } }), begin, to }
  })
  const ranges = found.filter(({ begin, to }) => begin < to).map(({ mark, begin, to }) => mark.range(begin, to))
  const lines = found.map(({ line }) => Decoration.line({ class: "faulty" }).range(line))
  view.dispatch({ effects: setMarks.of(Decoration.set([...ranges, ...lines], true)) })
}
