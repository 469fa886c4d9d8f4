import {
  acceptCompletion,
  autocompletion,
  completionKeymap,
  completionStatus,
  startCompletion
} from "@codemirror/autocomplete"
import { type Extension, Prec } from "@codemirror/state"
import { type EditorView, keymap, ViewPlugin } from "@codemirror/view"
import { complete, opens } from "./completion.ts"
import type { NodeDescriptor } from "./model.ts"
import type { Notation } from "./Notation.ts"

/** How the user asked for a completion before this file was loaded, if at all. */
export type Asked = "key" | "typing" | undefined

/** Completes what the user asked for while this file was loading. */
const catchUp = (asked: () => Asked) =>
  ViewPlugin.define((view: EditorView) => {
    queueMicrotask(() => {
      const { head } = view.state.selection.main
      const by = asked()
      const isAsked = by === "key" || (by === "typing" && opens(view.state.sliceDoc(Math.max(0, head - 2), head)))
      if (isAsked && view.hasFocus) startCompletion(view)
    })
    return {}
  })

/** Milliseconds in which a new list accepts no choice, because the user cannot have seen it yet. */
const interactionDelay = 75

/** Accepts the selected completion. While a list is open the key never leaves the editor, not even within that time. */
const take = (view: EditorView): boolean => {
  if (acceptCompletion(view)) return true
  if (completionStatus(view.state) !== "active") return false
  setTimeout(() => acceptCompletion(view), interactionDelay)
  return true
}

/** Completion from the schemas of the nodes. */
export const completing = (
  nodes: () => Promise<ReadonlyMap<string, NodeDescriptor>>,
  notationOf: (text: string) => Promise<Notation>,
  asked: () => Asked
): Extension => [
  autocompletion({
    override: [async (context) => complete(context, await nodes(), await notationOf(context.state.doc.toString()))],
    icons: false,
    interactionDelay,
    maxRenderedOptions: 80
  }),
  catchUp(asked),
  // Tab leaves the editor, unless a list is open: then it accepts the selected completion.
  Prec.highest(keymap.of([{ key: "Tab", run: take }])),
  keymap.of(completionKeymap)
]
