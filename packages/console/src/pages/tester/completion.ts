import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  startCompletion
} from "@codemirror/autocomplete"
import type { Extension } from "@codemirror/state"
import { type EditorView, ViewPlugin } from "@codemirror/view"
import { type Bank, bankOf, withDefinitions } from "./Bank.ts"

const infoOf = (regex: string, example: string | undefined): string =>
  example === undefined ? regex.slice(0, 600) : `${example}\n\n${regex.slice(0, 600)}`

const begun = /%\{\w*/

/** Completes a name that was begun while this file was loading. */
const catchUp = ViewPlugin.define((view: EditorView) => {
  queueMicrotask(() => {
    const { head } = view.state.selection.main
    const before = view.state.sliceDoc(Math.max(0, head - 100), head)
    if (view.hasFocus && /%\{\w*$/.test(before)) startCompletion(view)
  })
  return {}
})

/** The source of the patterns. */
export interface Completed {
  readonly tenant: string
  readonly ecs: boolean
  readonly definitions: string
}

/**
 * Completes names of the bank after `%{`.
 *
 * @param current is called each time: a replaced extension fails while it waits for names
 */
export const grokCompletion = (current: () => Completed): Extension => {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.matchBefore(begun)
    if (before === null) return null
    const { tenant, ecs, definitions } = current()
    let bank: Bank
    try {
      bank = withDefinitions(await bankOf(tenant, ecs), definitions)
    } catch {
      return null
    }
    return {
      from: before.from + 2,
      validFor: /^\w*$/,
      options: bank.patterns.map(({ name, regex, example }) => ({
        label: name,
        ...(example === undefined ? {} : { detail: example.slice(0, 40) }),
        info: infoOf(regex, example),
        boost: example === undefined ? 0 : 1
      }))
    }
  }
  return [autocompletion({ override: [source], icons: false, maxRenderedOptions: 60 }), catchUp]
}
