import type { Extension } from "@codemirror/state"
import { Decoration, EditorView } from "@codemirror/view"
import { issuesOf } from "../../parts/Problem.tsx"

/** A fault in a file of the channel. */
export interface Fault {
  /** Its path in the channel's folder. */
  readonly file: string | undefined
  readonly line: number | undefined
  readonly column: number | undefined
  readonly detail: string
}

/** The faults of a problem. Their files are named by the path in the tenant's configuration. */
export const faultsOf = (error: unknown, channel: string): ReadonlyArray<Fault> =>
  issuesOf(error).map((issue) => {
    const { file } = issue as { readonly file?: unknown }
    const prefix = `channels/${channel}/`
    return {
      file: typeof file === "string" ? (file.startsWith(prefix) ? file.slice(prefix.length) : file) : undefined,
      line: issue.line,
      column: issue.column,
      detail: issue.detail ?? ""
    }
  })

/** Underlines a fault from its column to the end of the line. */
export const marks = (faults: ReadonlyArray<Fault>): Extension => {
  const mark = Decoration.mark({ class: "fault" })
  return EditorView.decorations.of(({ state: { doc } }) =>
    Decoration.set(
      faults.flatMap(({ line, column = 1 }) => {
        if (line === undefined || line > doc.lines) return []
        const { from, to } = doc.line(line)
        const begin = Math.min(from + column - 1, Math.max(from, to - 1))
        return begin < to ? [mark.range(begin, to)] : []
      }),
      true
    )
  )
}
