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

/** How somebody has asked for completion, if they have. */
export type Asked = "key" | "typing" | undefined

/** Answers what was asked while this file was loaded. */
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

/** Milliseconds in which a new list takes nothing, as its reader has not seen it. */
const interactionDelay = 75

/** Takes what is offered: never does the key leave the editor while something is, not even at once. */
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
  // Tab leaves the editor, but takes what is offered.
  Prec.highest(keymap.of([{ key: "Tab", run: take }])),
  keymap.of(completionKeymap)
]
