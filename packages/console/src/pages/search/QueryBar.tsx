import { type Extension, Prec } from "@codemirror/state"
import { Decoration, EditorView, keymap, placeholder } from "@codemirror/view"
import { useCallback, useEffect, useId, useMemo, useRef, useState } from "react"
import { gateway } from "../../app/gateway.ts"
import { Button } from "../../parts/Button.tsx"
import { Editor } from "../../parts/Editor.tsx"
import look from "../../parts/parts.module.css"
import { search as t } from "../../texts/en.ts"
import type { Completed } from "./completion.ts"
import { bucketsOf, type Field } from "./Fields.ts"
import { patternOf, queryOf } from "./Request.ts"
import type { Change, State } from "./State.ts"
import css from "./search.module.css"

const bar = EditorView.theme({
  ".cm-gutters": { display: "none" },
  ".cm-content": { padding: "5px 4px" },
  ".cm-placeholder": { color: "var(--dim)" }
})

const fault = Decoration.mark({ class: "fault" })

/** Underlines the query from the faulty character on. */
const faultAt = (at: number | undefined): Extension =>
  at === undefined
    ? []
    : EditorView.decorations.of(({ state: { doc } }) => {
        const from = Math.min(at, Math.max(0, doc.length - 1))
        const { to } = doc.lineAt(from)
        return from < to ? Decoration.set(fault.range(from, to)) : Decoration.none
      })

/** The position of a fault that the gateway found in the query text, from 0. */
export const placeOf = (message: string): number | undefined => {
  const found = /\(character (\d+) of the text\)/.exec(message)?.[1]
  return found === undefined ? undefined : Number(found) - 1
}

/** The query, with completion. Enter starts the search. */
export const QueryBar = ({
  tenant,
  state,
  change,
  fields,
  zone,
  problem,
  again
}: {
  readonly tenant: string
  readonly state: State
  readonly change: Change
  readonly fields: ReadonlyArray<Field>
  readonly zone: string
  /** The fault in the last query, and its position. */
  readonly problem: { readonly text: string; readonly at: number | undefined } | undefined
  readonly again: () => void
}) => {
  const id = useId()
  const [text, setText] = useState(state.q)
  // Enter may be pressed before the typed text is rendered.
  const typed = useRef(state.q)
  const type = useCallback((value: string) => {
    typed.current = value
    setText(value)
  }, [])
  const [isUsed, setUsed] = useState(false)
  const [completion, setCompletion] = useState<Extension>()
  // Another search was opened: from the history, by a link or by browser navigation.
  useEffect(() => type(state.q), [state.q, type])

  const valuesOf = useCallback<Completed["valuesOf"]>(
    async ({ name, types }, begin, signal) => {
      const query = queryOf({ ...state, q: "" }, zone)
      // For text fields the query only counts values with this prefix. Other fields have fewer values, which are
      // filtered here.
      const isText = types.includes("text")
      const prefix = { prefix: { [name]: { value: begin, case_insensitive: true } } }
      const wanted =
        begin === "" || !isText
          ? query
          : { bool: { filter: [prefix, ...(Object.keys(query).length === 0 ? [] : [query])] } }
      const aggs = { values: { terms: { field: name, size: begin === "" || isText ? 30 : 1000 } } }
      const payload = { index: patternOf(tenant, state), query: wanted, size: 0, aggs }
      const page = await gateway.search.search({ params: { tenant }, payload }, { signal })
      return bucketsOf(page.aggregations?.["values"])
        .map(({ key, key_as_string, doc_count }) => ({ value: key_as_string ?? String(key), count: doc_count }))
        .filter(({ value }) => value.toLowerCase().startsWith(begin.toLowerCase()))
        .slice(0, 30)
    },
    [tenant, state, zone]
  )
  const completed = useRef<Completed>({ fields, valuesOf })
  completed.current = { fields, valuesOf }
  useEffect(() => {
    if (!isUsed) return
    let isOver = false
    import("./completion.ts").then(
      (loaded) => {
        if (!isOver) setCompletion(loaded.completion(() => completed.current))
      },
      // The bar works without completion too.
      () => {}
    )
    return () => {
      isOver = true
    }
  }, [isUsed])

  const run = useRef<() => void>(() => {})
  run.current = () => {
    if (typed.current === state.q) again()
    else change({ q: typed.current, doc: "" })
  }
  const keys = useMemo(
    () => [
      bar,
      placeholder(t.placeholder),
      // Lower precedence than the keys of the completion, which takes Enter while it is open.
      Prec.high(
        keymap.of([
          {
            key: "Enter",
            run: () => {
              run.current()
              return true
            }
          }
        ])
      )
    ],
    []
  )
  const at = problem !== undefined && text === state.q ? problem.at : undefined
  const extensions = useMemo(() => [completion ?? [], keys, faultAt(at)], [completion, keys, at])
  return (
    <section className={css.bar} aria-label={t.search} onFocus={() => setUsed(true)}>
      <Editor
        className={css.query!}
        value={text}
        label={t.query}
        help={t.queryHelp}
        wraps
        extensions={extensions}
        onChange={type}
      />
      <Button className={look.primary!} onPress={() => run.current()}>
        {t.search}
      </Button>
      <p
        id={id}
        role={problem === undefined ? undefined : "alert"}
        className={problem === undefined ? css.hint : css.fault}
      >
        {problem === undefined ? (text === state.q ? t.hint : t.notSearched) : problem.text}
      </p>
    </section>
  )
}
