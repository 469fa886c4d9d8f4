import { type EditorState, type Extension, RangeSetBuilder, StateField } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view"

// A language of its own would bring the machinery of stream parsers to the front page, which has the package already.

/** Characters that are coloured: more would be felt at each key. */
const most = 256 * 1024

/**
 * What HJSON has, in the order in which it is tried: comments, texts of several lines, keys, texts in quotes, values of
 * JSON, signs, and texts without quotes, which go to the end of the line.
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

/** The parts of a HJSON text that have a colour, in their order. */
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

/** The colours of HJSON for editors. */
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
