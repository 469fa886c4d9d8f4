import type { EditorView } from "@codemirror/view"
import { useCallback, useMemo, useRef, useState } from "react"
import { useKeys } from "../../app/keys.ts"
import { Button } from "../../parts/Button.tsx"
import { Choice } from "../../parts/Choice.tsx"
import { LaterDialog, useEarly } from "../../parts/Later.tsx"
import look from "../../parts/parts.module.css"
import { tester as t } from "../../texts/en.ts"
import { Detail } from "./Detail.tsx"
import { operators } from "./Draft.ts"
import type { EditorName } from "./EarlyTester.ts"
import { colouring, fieldPlaces, plainName } from "./Fields.ts"
import { PatternPanel } from "./PatternPanel.tsx"
import { Results } from "./Results.tsx"
import { SamplesPanel } from "./SamplesPanel.tsx"
import { Expectations, Summary } from "./Summary.tsx"
import type { SampleResult } from "./Testing.ts"
import css from "./tester.module.css"
import { useTester } from "./useTester.ts"

/** Components that are loaded on first use. */
const parts = {
  proposals: () => import("./Proposals.tsx"),
  bank: () => import("./BankDialog.tsx"),
  history: () => import("./HistoryDialog.tsx"),
  share: () => import("./ShareDialog.tsx"),
  use: () => import("./UseDialog.tsx"),
  selection: () => import("./SelectionBar.tsx")
}

type Open = "proposals" | "bank" | "history" | "share" | "use"

/** Number of results that are searched for captures of fields which the patterns do not name. */
const looked = 1000

/** The pattern reference at the cursor. */
const nameAt = (view: EditorView | undefined): string | undefined => {
  if (view === undefined) return undefined
  const { head } = view.state.selection.main
  const { text, from } = view.state.doc.lineAt(head)
  const found = [...text.matchAll(/%\{(\w+)[^}]*\}?/g)]
  return found.find(({ index, 0: whole }) => from + index <= head && head <= from + index + whole.length)?.[1]
}

const TesterPage = () => {
  useEarly(Object.values(parts))
  useKeys(t.keys)
  const tester = useTester()
  const { draft, change, open: openDraft, outcome, isKept, tenant } = tester
  const [shown, setShown] = useState<Open>()
  const [current, setCurrent] = useState(1)
  const [proposed, setProposed] = useState<string>()
  const pattern = useRef<EditorView>(undefined)
  const inUse = useRef(tester.focus)
  const { operator } = draft

  const colours = useMemo(() => {
    const named = fieldPlaces(operator, draft.texts[operator]).map(({ name }) => name)
    const captured = outcome?.results.slice(0, looked).flatMap(({ captures = [] }) => captures.map(({ name }) => name))
    return colouring([...named, ...(captured ?? []).map(plainName)])
  }, [operator, draft.texts, outcome])

  const byLine = useMemo(() => {
    const found = new Map<number, SampleResult>()
    for (const result of outcome?.results ?? []) found.set(result.line, result)
    return found
  }, [outcome])
  const result = byLine.get(current) ?? (draft.whole ? outcome?.results[0] : undefined)

  /** Replaces the selection in the pattern, and selects a part of the new text. */
  const insert = useCallback((text: string, selected?: string) => {
    const view = pattern.current
    if (view === undefined) return
    const { from, to } = view.state.selection.main
    const at = selected === undefined ? -1 : text.indexOf(selected)
    const anchor = at < 0 ? from + text.length : from + at
    const head = at < 0 ? anchor : anchor + (selected?.length ?? 0)
    view.dispatch({ changes: { from, to, insert: text }, selection: { anchor, head }, scrollIntoView: true })
    view.focus()
  }, [])

  /** Continues with the editor that had the focus before the page was loaded. */
  const begin = (name: EditorName, view: EditorView) => {
    const { current: focus } = inUse
    if (focus?.name !== name) return
    inUse.current = undefined
    const end = view.state.doc.length
    view.dispatch({ selection: { anchor: Math.min(focus.anchor, end), head: Math.min(focus.head, end) } })
    view.focus()
  }

  const setPattern = useCallback(
    (text: string) => change({ texts: { ...draft.texts, [operator]: text } }),
    [change, draft.texts, operator]
  )
  const close = () => {
    setShown(undefined)
    setProposed(undefined)
  }
  const propose = useCallback((samples?: string) => {
    setProposed(samples)
    setShown("proposals")
  }, [])

  return (
    <div className={css.page}>
      <h1 className={look.hidden}>{t.title}</h1>
      <div className={css.bar}>
        <Choice
          label={t.operator}
          options={operators.map((key) => ({ key, title: t.operators[key] }))}
          chosen={operator}
          choose={(chosen) => change({ operator: chosen })}
        />
        <span className={css.gap} />
        <Button className={look.button} onPress={() => propose()}>
          {t.propose}
        </Button>
        <Button className={look.button} onPress={() => setShown("bank")}>
          {t.bank}
        </Button>
        <Button className={look.button} onPress={() => setShown("history")}>
          {t.history}
        </Button>
        <Button className={look.button} onPress={() => setShown("share")}>
          {t.share}
        </Button>
        <Button className={look.primary} onPress={() => setShown("use")}>
          {t.use}
        </Button>
      </div>
      {isKept ? null : (
        <p className={css.notice} role="alert">
          {t.notKept}
        </p>
      )}
      <div className={css.columns}>
        <div className={css.inputs}>
          <PatternPanel
            draft={draft}
            change={change}
            tenant={tenant}
            colours={colours}
            faults={outcome?.faults ?? []}
            failedAt={result?.failure?.failedAt}
            ready={(view) => {
              pattern.current = view
              begin("pattern", view)
            }}
          />
          <SamplesPanel
            ready={(view) => begin("samples", view)}
            draft={draft}
            change={change}
            open={openDraft}
            tenant={tenant}
            colours={colours}
            outcome={outcome}
            current={current}
            setCurrent={setCurrent}
            insert={insert}
            setPattern={setPattern}
            propose={propose}
          />
        </div>
        <section className={css.outputs} aria-label={t.results}>
          <Summary draft={draft} outcome={outcome} />
          <Results draft={draft} outcome={outcome} colours={colours} current={current} setCurrent={setCurrent}>
            <Expectations draft={draft} change={change} outcome={outcome} />
          </Results>
          <Detail
            draft={draft}
            change={change}
            outcome={outcome}
            result={result}
            colours={colours}
            current={current}
            setCurrent={setCurrent}
            propose={propose}
          />
        </section>
      </div>
      {shown === "proposals" ? (
        <LaterDialog
          load={parts.proposals}
          props={{ draft, change, samples: proposed ?? draft.samples, tenant, close }}
        />
      ) : null}
      {shown === "bank" ? (
        <LaterDialog load={parts.bank} props={{ draft, tenant, insert, close, begin: nameAt(pattern.current) }} />
      ) : null}
      {shown === "history" ? (
        <LaterDialog load={parts.history} props={{ open: openDraft, current: tester.store.id(), close }} />
      ) : null}
      {shown === "share" ? <LaterDialog load={parts.share} props={{ draft, open: openDraft, close }} /> : null}
      {shown === "use" ? <LaterDialog load={parts.use} props={{ draft, close }} /> : null}
    </div>
  )
}

export default TesterPage
