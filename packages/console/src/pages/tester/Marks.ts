import { type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state"
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  ViewPlugin,
  type ViewUpdate
} from "@codemirror/view"
import type { Operator } from "./Draft.ts"
import { colouring, fieldPlaces, plainName } from "./Fields.ts"
import type { Fault, SampleResult } from "./Testing.ts"

/** What the editors show of a test: the colours of the fields, and the results by sample text. */
export interface Shown {
  readonly colours: ReadonlyMap<string, number>
  readonly results: ReadonlyMap<string, SampleResult>
}

export const show = StateEffect.define<Shown>()

const shown = StateField.define<Shown>({
  create: () => ({ colours: new Map(), results: new Map() }),
  update: (value, transaction) => {
    for (const effect of transaction.effects) if (effect.is(show)) return effect.value
    return value
  }
})

const fields = Array.from({ length: 8 }, (_, at) => Decoration.mark({ class: `f${at}` }))
const rest = Decoration.mark({ class: "rest" })
const failed = Decoration.mark({ class: "failed" })
const fault = Decoration.mark({ class: "fault" })

/** UTF-16 units up to which a line is coloured. */
const longest = 20_000

const lineMarks = (text: string, from: number, { results, colours }: Shown, builder: RangeSetBuilder<Decoration>) => {
  const result = results.get(text)
  if (result === undefined) return
  const { captures = [], failure } = result
  if (failure?.reason === "no-match" && failure.matchedUpTo !== undefined) {
    if (failure.matchedUpTo < text.length) builder.add(from + failure.matchedUpTo, from + text.length, rest)
    return
  }
  let end = 0
  const ordered = captures.toSorted((one, other) => one.start - other.start || one.end - other.end)
  for (const capture of ordered) {
    const colour = colours.get(plainName(capture.name))
    if (colour === undefined || capture.start < end || capture.end <= capture.start || capture.end > longest) continue
    builder.add(from + capture.start, from + capture.end, fields[colour]!)
    end = capture.end
  }
}

/** Colours the fields in the visible lines. */
const sampleColours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = this.make(view)
    }
    update(update: ViewUpdate) {
      const isNew = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(show)))
      if (isNew || update.docChanged || update.viewportChanged) this.decorations = this.make(update.view)
    }
    make(view: EditorView): DecorationSet {
      const builder = new RangeSetBuilder<Decoration>()
      const known = view.state.field(shown)
      for (const { from, to } of view.visibleRanges) {
        const { number } = view.state.doc.lineAt(from)
        for (let at = number; at <= view.state.doc.lines; at += 1) {
          const line = view.state.doc.line(at)
          if (line.from > to) break
          // A line may be visible in several ranges; it is coloured once.
          if (at > number || line.from === from) lineMarks(line.text, line.from, known, builder)
        }
      }
      return builder.finish()
    }
  },
  { decorations: ({ decorations }) => decorations }
)

class Mark extends GutterMarker {
  readonly #isGood: boolean
  constructor(isGood: boolean) {
    super()
    this.#isGood = isGood
  }
  override toDOM(): Node {
    const element = document.createElement("div")
    element.className = `mark ${this.#isGood ? "good" : "bad"}`
    element.textContent = this.#isGood ? "✓" : "✗"
    return element
  }
}
const good = new Mark(true)
const bad = new Mark(false)

const marks = gutter({
  class: "marks",
  lineMarker: (view, line) => {
    const result = view.state.field(shown).results.get(view.state.doc.lineAt(line.from).text)
    return result === undefined ? null : result.matched && result.failure === undefined ? good : bad
  },
  lineMarkerChange: ({ transactions }) => transactions.some(({ effects }) => effects.some((one) => one.is(show))),
  initialSpacer: () => good
})

/** For the editor of the samples. */
export const sampleMarks: Extension = [shown, sampleColours, marks]

/** What the editor of the patterns shows, with the colours. */
export interface PatternState {
  readonly colours: ReadonlyMap<string, number>
  readonly faults: ReadonlyArray<Fault>
  readonly part: string
  /** The first part of the pattern that fails on the current line. */
  readonly failedAt?: string | undefined
}

/** For the editor of the patterns: field colours, faults, and the failing part on the current line. */
export const patternMarks = (operator: Operator, { colours, faults, part, failedAt }: PatternState): Extension =>
  EditorView.decorations.compute(["doc"], (state) => {
    const text = state.doc.toString()
    const found = fieldPlaces(operator, text).map(({ name, start, end }) => {
      const colour = colours.get(name) ?? colouring([name]).get(name) ?? 0
      return fields[colour]!.range(start, end)
    })
    for (const { part: where, source, line = 0, column = 1, text: wrong = "" } of faults) {
      if (where !== part || source !== undefined || line < 1 || line > state.doc.lines) continue
      const { from, to } = state.doc.line(line)
      const start = Math.min(from + column - 1, to)
      const end = Math.min(start + Math.max(1, wrong.length), to)
      if (end > start) found.push(fault.range(start, end))
      else if (to > from) found.push(fault.range(from, to))
    }
    const at = failedAt === undefined || failedAt === "" ? -1 : text.indexOf(failedAt)
    if (at >= 0 && failedAt !== undefined) found.push(failed.range(at, at + failedAt.length))
    return Decoration.set(found, true)
  })
