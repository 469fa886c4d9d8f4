import { type EditorState, type Extension, RangeSetBuilder, StateField } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view"

// A language definition would add the stream parsers to the front page, because that already contains their package.

/** Characters that are coloured. More would slow down each key press. */
const most = 256 * 1024

/**
 * The tokens of HJSON, in the order in which they are tried: comments, multi-line texts, keys, quoted texts, JSON
 * values, punctuation, and unquoted texts, which end with the line.
 */
const tokens =
  /(?<comment>#.*|\/\/.*|\/\*[\s\S]*?(?:\*\/|$))|(?<several>'''[\s\S]*?(?:'''|$))|(?<key>(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[^\s,:[\]{}"'#][^\s,:[\]{}]*)(?=[ \t]*:))|(?<quoted>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(?<value>(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[ \t]*(?:[,\]}\n#]|\/\/|$)))|(?<sign>[,:[\]{}])|(?<text>[^\s,:[\]{}].*)/g

const marks = {
  comment: Decoration.mark({ class: "h-comment" }),
  several: Decoration.mark({ class: "h-text" }),
  key: Decoration.mark({ class: "h-key" }),
  quoted: Decoration.mark({ class: "h-text" }),
  value: Decoration.mark({ class: "h-value" }),
  text: Decoration.mark({ class: "h-text" })
}

/** The coloured parts of a HJSON text, in order. */
export const hjsonParts = (
  text: string
): ReadonlyArray<{ readonly kind: keyof typeof marks; readonly from: number; readonly to: number }> =>
  [...text.matchAll(tokens)].flatMap(({ index, 0: found, groups = {} }) => {
    const kind = (Object.keys(marks) as Array<keyof typeof marks>).find((name) => groups[name] !== undefined)
    return kind === undefined ? [] : [{ kind, from: index, to: index + found.length }]
  })

const decorate = (state: EditorState): DecorationSet => {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { kind, from, to } of hjsonParts(state.sliceDoc(0, most))) builder.add(from, to, marks[kind])
  return builder.finish()
}

/** HJSON colours for editors. */
export const hjson = (): Extension => [
  StateField.define<DecorationSet>({
    create: decorate,
    update: (decorations, { docChanged, state }) => (docChanged ? decorate(state) : decorations),
    provide: (field) => EditorView.decorations.from(field)
  }),
  EditorView.theme({
    ".h-comment": { color: "var(--dim)", fontStyle: "italic" },
    ".h-text": { color: "var(--good)" },
    ".h-key": { color: "var(--accent)" },
    ".h-value": { color: "var(--warn)" }
  })
]
