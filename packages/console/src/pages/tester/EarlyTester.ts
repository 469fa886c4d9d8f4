import { element } from "../../app/element.ts"
import parts from "../../parts/parts.module.css"
import { tester as t } from "../../texts/en.ts"
import { type Draft, type Operator, operators } from "./Draft.ts"
import { isOwn, type Keeper, keeper, sizeOf, small } from "./Drafts.ts"
import { draftOf, hasDraft } from "./Fragment.ts"
import css from "./tester.module.css"

// The tester before its page is loaded: text areas in place of the two editors. Their text is stored like any draft,
// and the loaded page continues with it.

export type EditorName = "pattern" | "samples"

/** The state that the loaded page continues with. */
export interface Early {
  readonly store: Keeper
  readonly draft: Draft
  /** The fragment of the address from which the draft was read. */
  readonly link: string | undefined
  /** The focused editor with its selection. */
  readonly focus: { readonly name: EditorName; readonly anchor: number; readonly head: number } | undefined
}

let shown: (() => Early) | undefined
let taken: Early | undefined
let showing: Promise<void> | undefined
let composed: Promise<void> | undefined

const area = (name: EditorName, label: string, help: string, look: string | undefined, value: string) => {
  const made = element("textarea", {
    class: `${css.early} ${look}`,
    "aria-label": `${label}. ${help}`,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    ...(name === "samples" ? { wrap: "off" } : {})
  })
  made.value = value
  // Setting the text has moved the cursor to its end.
  made.setSelectionRange(0, 0)
  return made
}

/** A button that is enabled when the page is loaded. */
const button = (title: string, look = parts.button) =>
  element("button", { type: "button", class: look, disabled: "" }, title)

const bar = (operator: Operator) =>
  element(
    "div",
    { class: css.bar },
    element(
      "div",
      { class: parts.choice },
      ...operators.map((name) =>
        element(
          "label",
          { class: parts.option },
          element("input", { type: "radio", disabled: "", ...(name === operator ? { checked: "" } : {}) }),
          element("span", {}, t.operators[name])
        )
      )
    ),
    element("span", { class: css.gap }),
    ...[t.propose, t.bank, t.history, t.share].map((title) => button(title)),
    button(t.use, parts.primary)
  )

const panel = (
  title: string,
  help: string,
  look: string | undefined,
  beside: ReadonlyArray<Node>,
  ...children: ReadonlyArray<Node>
) =>
  element(
    "section",
    { class: `${css.panel} ${look}`, "aria-label": title },
    element(
      "div",
      { class: css.panelHead },
      element("h2", {}, title),
      element("span", { class: css.help }, help),
      ...beside
    ),
    ...children
  )

/** The stored draft, or that of an opened link. */
const begun = async () => {
  const store = keeper()
  const link = location.hash
  const found = hasDraft(link) && !isOwn(store) ? await draftOf(link) : undefined
  if (found === undefined) return { store, first: store.first, link: undefined }
  store.begin()
  store.keep(found)
  return { store, first: found, link }
}

const show = async (main: HTMLElement): Promise<void> => {
  const { store, first, link } = await begun()
  const { operator, texts, samples } = first
  const areas = {
    pattern: area(
      "pattern",
      t.patterns[operator],
      t.patternHelp[operator],
      `${css.pattern} ${operator === "flowlet" ? css.program : ""}`,
      texts[operator]
    ),
    samples: area("samples", t.samples, t.samplesHelp, css.lines, samples)
  }
  main.append(
    element(
      "div",
      { class: css.page },
      element("h1", { class: parts.hidden }, t.title),
      bar(operator),
      element(
        "div",
        { class: css.columns },
        element(
          "div",
          { class: css.inputs },
          panel(
            t.patterns[operator],
            t.patternHelp[operator],
            "",
            [],
            areas.pattern,
            element("details", { class: css.options }, element("summary", {}, t.options))
          ),
          panel(t.samples, t.samplesHelp, css.samples, [button(t.openLog)], areas.samples)
        ),
        element(
          "div",
          { class: css.outputs },
          element("div", { class: css.summary }, element("p", { class: css.summaryLine }, t.testing))
        )
      )
    )
  )

  let draft = first
  /** A text area normalises line ends, so a text is only read when the reader has changed it. */
  const read = (name: EditorName) => {
    const { value } = areas[name]
    draft =
      name === "samples" ? { ...draft, samples: value } : { ...draft, texts: { ...draft.texts, [operator]: value } }
    if (sizeOf(draft) <= small) store.keep(draft)
  }
  const names = ["pattern", "samples"] as const
  for (const name of names) {
    areas[name].addEventListener("input", () => read(name))
    // The browser would navigate to a dropped file. The loaded page accepts it.
    for (const event of ["dragover", "drop"] as const) {
      areas[name].addEventListener(event, (given) => {
        if (given.dataTransfer?.types.includes("Files")) given.preventDefault()
      })
    }
    areas[name].addEventListener("compositionstart", () => {
      composed = new Promise<void>((done) =>
        areas[name].addEventListener("compositionend", () => done(), { once: true })
      )
    })
  }
  const keep = () => void store.keep(draft)
  addEventListener("pagehide", keep)
  shown = () => {
    removeEventListener("pagehide", keep)
    const name = names.find((one) => areas[one] === document.activeElement)
    if (name === undefined) return { store, draft, link, focus: undefined }
    const { selectionStart, selectionEnd, selectionDirection } = areas[name]
    const isBackward = selectionDirection === "backward"
    const [anchor, head] = isBackward ? [selectionEnd, selectionStart] : [selectionStart, selectionEnd]
    return { store, draft, link, focus: { name, anchor, head } }
  }
}

/** Shows the editors. */
export const showEarly = (main: HTMLElement): void => {
  showing = show(main)
}

/**
 * Waits until the page may replace the editors: replacing them during composition would lose the input method's text.
 */
export const isFree = async (): Promise<void> => {
  await showing
  await composed
}

/** The text typed before the page was loaded; undefined if the tester was opened from another page. */
export const takeOver = (): Early | undefined => {
  taken ??= shown?.()
  shown = undefined
  return taken
}

/** The page has taken over. A tester that is opened later starts with the stored draft. */
export const endEarly = (): void => {
  taken = undefined
}
