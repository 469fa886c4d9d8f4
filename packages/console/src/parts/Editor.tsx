import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state"
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view"
import { useEffect, useRef } from "react"
import css from "./parts.module.css"

/**
 * Replaces the selection by typed text. Chromium's own replacement would keep the colours of the old text in style
 * attributes, which the page's policy refuses and reports.
 */
const replacing = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { data, inputType, isComposing } = event
    if (inputType !== "insertText" || data === null || isComposing || view.state.selection.main.empty) return false
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true })
    return true
  }
})

/** How many reported texts are remembered until the page returns them as `value`. The page is never that late. */
const mostTold = 20

const fromOutside = Annotation.define<boolean>()

/** The editor's styles as a constructed sheet: the page's policy forbids style elements. */
const look = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", color: "var(--ink)", backgroundColor: "var(--panel)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { padding: "6px 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--dim)", border: "none" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    backgroundColor: "light-dark(#b9cdf5, #34508a) !important"
  },
  ".cm-specialChar": { color: "var(--bad)" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    maxWidth: "560px"
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", color: "var(--dim)" },
  "li[aria-selected] .cm-completionDetail": { color: "var(--on-accent)" },
  ".cm-completionInfo": { padding: "6px 10px", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`.f${at}`, { backgroundColor: `var(--field-${at})`, borderRadius: "2px" }])
  ),
  ".fault": { textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".failed": { outline: "1.5px solid var(--bad)", borderRadius: "2px" },
  ".rest": { backgroundColor: "var(--bad-tint)" },
  ".mark": { width: "14px", textAlign: "center" },
  ".mark.good": { color: "var(--good)" },
  ".mark.bad": { color: "var(--bad)", fontWeight: "700" }
})

/**
 * A text editor. It is in a shadow tree, where CodeMirror constructs its styles instead of adding style elements. Tab
 * leaves it.
 *
 * @param ready is called once with the view; the function that it returns is called at the end
 */
export const Editor = ({
  value,
  label,
  help,
  wraps = false,
  extensions,
  onChange,
  ready,
  className
}: {
  readonly value: string
  readonly label: string
  readonly help?: string
  readonly wraps?: boolean
  readonly extensions?: Extension
  readonly onChange: (value: string) => void
  readonly ready?: (view: EditorView) => undefined | (() => void)
  readonly className?: string
}) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const more = useRef(new Compartment())
  /** Texts that were reported by `onChange` and have not returned as `value` yet. */
  const told = useRef<ReadonlyArray<string>>([])
  const changed = useRef(onChange)
  const isReady = useRef(ready)
  changed.current = onChange
  isReady.current = ready
  const said = help === undefined ? label : `${label}. ${help}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text and the extensions are updated below.
  useEffect(() => {
    const element = host.current!
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open", delegatesFocus: true })
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          highlightSpecialChars({ addSpecialChars: /[\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g }),
          history(),
          drawSelection(),
          replacing,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          wraps ? EditorView.lineWrapping : [],
          look,
          EditorView.contentAttributes.of({
            "aria-label": said,
            tabindex: "0",
            spellcheck: "false",
            autocapitalize: "off"
          }),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.some((transaction) => transaction.annotation(fromOutside))
            if (!update.docChanged || isOwn) return
            const text = update.state.doc.toString()
            told.current = [...told.current, text].slice(-mostTold)
            changed.current(text)
          }),
          more.current.of(extensions ?? [])
        ]
      })
    })
    view.current = made
    const end = isReady.current?.(made)
    return () => {
      end?.()
      made.destroy()
      view.current = undefined
    }
  }, [said, wraps])

  useEffect(() => {
    view.current?.dispatch({ effects: more.current.reconfigure(extensions ?? []) })
  }, [extensions])

  useEffect(() => {
    const { current } = view
    // On a slow page, an older text returns after the next key press. The editor is then ahead of the page.
    const at = told.current.lastIndexOf(value)
    told.current = told.current.slice(at + 1)
    if (at !== -1 || current === undefined || current.state.doc.toString() === value) return
    told.current = []
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: value },
      annotations: fromOutside.of(true)
    })
  }, [value])

  return <div ref={host} className={`${css.editor} ${className ?? ""}`} />
}
