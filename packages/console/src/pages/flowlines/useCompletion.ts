import type { Extension } from "@codemirror/state"
import { EditorView, keymap } from "@codemirror/view"
import { useEffect, useMemo, useRef, useState } from "react"
import type { Asked } from "./completing.ts"
import { late, useActed, useLoaded } from "./late.ts"
import type { NodeDescriptor } from "./model.ts"
import type { Notation } from "./Notation.ts"

const file = late(() => import("./completing.ts"))

/**
 * Completion in an editor. It is loaded when the reader does anything, or the editor gets the focus. Who asks before it is
 * there is answered then, unless the cursor has gone elsewhere.
 */
export const useCompletion = (
  nodes: ReadonlyMap<string, NodeDescriptor>,
  notationOf: (text: string) => Promise<Notation>
): Extension => {
  const known = useRef(nodes)
  known.current = nodes
  const read = useRef(notationOf)
  read.current = notationOf
  // Who asks before the gateway has answered waits for it.
  const waiting = useRef<Array<() => void>>([])
  useEffect(() => {
    if (nodes.size > 0) for (const go of waiting.current.splice(0)) go()
  }, [nodes])
  const [isUsed, setUsed] = useState(false)
  const isActed = useActed()
  const loaded = useLoaded(file, isUsed || isActed)
  const asked = useRef<Asked>(undefined)
  return useMemo((): Extension => {
    if (loaded !== undefined) {
      return loaded.completing(
        async () => {
          if (known.current.size === 0) await new Promise<void>((go) => waiting.current.push(go))
          return known.current
        },
        (text) => read.current(text),
        () => asked.current
      )
    }
    const ask = () => {
      asked.current = "key"
      return true
    }
    return [
      keymap.of([
        { key: "Ctrl-Space", mac: "Ctrl-Space", run: ask },
        { mac: "Alt-`", run: ask },
        { mac: "Alt-i", run: ask }
      ]),
      EditorView.updateListener.of(({ docChanged, selectionSet, focusChanged, transactions }) => {
        if (docChanged || focusChanged) setUsed(true)
        if (transactions.some((one) => one.isUserEvent("input.type"))) asked.current ??= "typing"
        else if (docChanged || selectionSet) asked.current = undefined
      })
    ]
  }, [loaded])
}
