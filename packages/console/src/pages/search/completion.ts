import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  startCompletion
} from "@codemirror/autocomplete"
import { type Extension, Prec } from "@codemirror/state"
import { type EditorView, keymap, ViewPlugin } from "@codemirror/view"
import { search as t } from "../../texts/en.ts"
import { escapedField, type Field, quoted } from "./Fields.ts"

/**
 * The source of completions. It is called each time, because a replaced extension fails while it waits for an answer.
 */
export interface Completed {
  readonly fields: ReadonlyArray<Field>
  /** The most frequent values of a field that start with a prefix. */
  readonly valuesOf: (
    field: Field,
    begin: string,
    signal: AbortSignal
  ) => Promise<ReadonlyArray<{ readonly value: string; readonly count: number }>>
}

const operators: ReadonlyArray<Completion> = ["AND", "OR", "NOT"].map((label) => ({
  label,
  apply: `${label} `,
  detail: t.operators[label as keyof typeof t.operators],
  boost: -1
}))

const plain = (text: string): string => text.replace(/\\(.)/g, "$1")

/** `field:` and the part of a value before the cursor. */
const valueBefore = /((?:\\.|[\w.@*-])+):([<>]=?)?("(?:\\.|[^"\\])*|(?:\\.|[^\s()":\\])*)$/
const nameBefore = /(?:\\.|[\w.@*-])*$/

const afterField = (field: Field): ReadonlyArray<Completion> =>
  field.types.includes("number")
    ? [">=", "<=", ">", "<"].map((label) => ({
        label,
        detail: t.comparisons[label as keyof typeof t.comparisons],
        boost: -2
      }))
    : []

const values = async (
  context: CompletionContext,
  current: Completed,
  found: RegExpExecArray
): Promise<CompletionResult | null> => {
  const [, name = "", comparison = "", given = ""] = found
  const field = current.fields.find((one) => one.name === plain(name))
  if (field === undefined) return null
  const isQuoted = given.startsWith('"')
  const ending = new AbortController()
  context.addEventListener("abort", () => ending.abort())
  const counted = await current.valuesOf(field, plain(isQuoted ? given.slice(1) : given), ending.signal).catch(() => [])
  if (context.aborted) return null
  const options = counted.map(({ value, count }, at) => ({
    label: value,
    apply: `${field.types.includes("text") || isQuoted ? quoted(value, isQuoted) : value} `,
    detail: t.documents(count),
    boost: counted.length - at
  }))
  const more = comparison === "" && given === "" ? afterField(field) : []
  // The gateway has filtered by this prefix: the next key needs another request.
  return { from: context.pos - given.length, options: [...options, ...more], filter: false }
}

/** Completes a word that was begun while this file was loading. */
const catchUp = ViewPlugin.define((view: EditorView) => {
  queueMicrotask(() => {
    const { head } = view.state.selection.main
    if (view.hasFocus && /[\w.@:]$/.test(view.state.sliceDoc(Math.max(0, head - 1), head))) startCompletion(view)
  })
  return {}
})

/** Enter accepts a completion that was selected by arrow keys. Otherwise it starts the search. */
const searching = Prec.high(
  keymap.of([
    {
      key: "Enter",
      run: (view) => {
        closeCompletion(view)
        return false
      }
    }
  ])
)

/** Completes fields, operators and field values in a query text. */
export const completion = (current: () => Completed): Extension => {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos, explicit } = context
    const before = state.sliceDoc(Math.max(0, pos - 500), pos)
    if (state.sliceDoc(0, 50).trimStart().startsWith("{")) return null
    const found = valueBefore.exec(before)
    if (found !== null) return values(context, current(), found)
    const [begun = ""] = nameBefore.exec(before) ?? []
    if (begun === "" && !explicit) return null
    const { fields } = current()
    return {
      from: pos - begun.length,
      validFor: /^(?:\\.|[\w.@*-])*$/,
      options: [
        ...fields.map(({ name, types }) => ({
          label: name,
          apply: `${escapedField(name)}:`,
          detail: types.join(", ")
        })),
        { label: "_exists_", apply: "_exists_:", detail: t.exists, boost: -1 },
        ...operators
      ]
    }
  }
  return [
    autocompletion({
      override: [source],
      icons: false,
      maxRenderedOptions: 80,
      activateOnTyping: true,
      selectOnOpen: false,
      interactionDelay: 0,
      // After a field, its values are completed.
      activateOnCompletion: ({ apply }) => typeof apply === "string" && apply.endsWith(":")
    }),
    catchUp,
    searching
  ]
}
