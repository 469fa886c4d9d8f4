import { EditorState, type Extension } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import { useEffect, useMemo, useRef, useState } from "react"
import { useKeys } from "../../app/keys.ts"
import { flowlines } from "../../texts/en.ts"
import type { Issue, NodeDescriptor } from "./model.ts"
import type { Format, Notation } from "./Notation.ts"
import { useCompletion } from "./useCompletion.ts"

type Loaded = typeof import("./editing.ts")

/** Applies only the differences, so that the cursor stays and the change can be undone. */
const replaced = (view: EditorView, next: string): void => {
  const before = view.state.doc.toString()
  let from = 0
  const most = Math.min(before.length, next.length)
  while (from < most && before[from] === next[from]) from++
  let end = 0
  while (end < most - from && before[before.length - 1 - end] === next[next.length - 1 - end]) end++
  view.dispatch({
    changes: { from, to: before.length - end, insert: next.slice(from, next.length - end) },
    userEvent: "input.form"
  })
}

/**
 * The editor of the text: what it knows of flowlines, which is loaded after it, the marks of the faults, and the cursor.
 */
export const useEditor = (
  nodes: ReadonlyMap<string, NodeDescriptor>,
  issues: ReadonlyArray<Issue>,
  isReadOnly: boolean,
  format: Format,
  notationOf: (text: string) => Promise<Notation>
) => {
  useKeys(flowlines.edit.keys)
  const view = useRef<EditorView>(undefined)
  const [offset, setOffset] = useState(0)
  const [loaded, setLoaded] = useState<{ readonly language: Extension; readonly showFaults: Loaded["showFaults"] }>()
  const completion = useCompletion(nodes, notationOf)
  useEffect(() => {
    let isOver = false
    import("./editing.ts")
      .then(async ({ editing, showFaults }) => {
        const language = await editing(format)
        if (!isOver) setLoaded({ language, showFaults })
      })
      // The editor also works without it.
      .catch(() => {})
    return () => {
      isOver = true
    }
  }, [format])
  useEffect(() => {
    if (view.current !== undefined) loaded?.showFaults(view.current, issues)
  }, [loaded, issues])

  const extensions = useMemo(
    (): Extension => [
      loaded?.language ?? [],
      completion,
      EditorState.readOnly.of(isReadOnly),
      EditorView.updateListener.of((update) => {
        if (update.selectionSet || update.docChanged) setOffset(update.state.selection.main.head)
      })
    ],
    [loaded, completion, isReadOnly]
  )
  return {
    offset,
    extensions,
    ready: (made: EditorView) => {
      view.current = made
      setOffset(made.state.selection.main.head)
      return () => {
        view.current = undefined
      }
    },
    text: () => view.current?.state.doc.toString(),
    /** Replaces the whole text. False before there is an editor. */
    replace: (next: string): boolean => {
      if (view.current === undefined) return false
      replaced(view.current, next)
      return true
    },
    /** Puts the cursor at a place and shows it. */
    goTo: (from: number) => {
      const { current } = view
      if (current === undefined) return
      const anchor = Math.max(0, Math.min(from, current.state.doc.length))
      current.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) })
      setOffset(anchor)
    },
    goToLine: (line: number, column: number) => {
      const { current } = view
      if (current === undefined) return
      const { doc } = current.state
      const at = doc.line(Math.max(1, Math.min(line, doc.lines)))
      const anchor = Math.min(at.to, at.from + column - 1)
      current.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) })
      current.focus()
    }
  }
}
