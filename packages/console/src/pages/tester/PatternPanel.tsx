import type { Extension } from "@codemirror/state"
import type { EditorView } from "@codemirror/view"
import { useEffect, useId, useMemo, useRef, useState } from "react"
import { Editor } from "../../parts/Editor.tsx"
import { tester as t } from "../../texts/en.ts"
import type { Draft, Operator } from "./Draft.ts"
import { patternMarks } from "./Marks.ts"
import type { Fault } from "./Testing.ts"
import css from "./tester.module.css"

/** Support for the language: completion for grok, and JavaScript for programs. Both are loaded on demand. */
const useLanguage = ({ operator, ecs, definitions }: Draft, tenant: string, isUsed: boolean): Extension | undefined => {
  const [language, setLanguage] = useState<{ readonly operator: Operator; readonly extension: Extension }>()
  const completed = useRef({ tenant, ecs, definitions })
  completed.current = { tenant, ecs, definitions }
  useEffect(() => {
    let isOver = false
    const found = (extension: Extension) => {
      if (!isOver) setLanguage({ operator, extension })
    }
    const load = async () => {
      if (operator === "grok") {
        const { grokCompletion } = await import("./completion.ts")
        found(grokCompletion(() => completed.current))
      } else if (operator === "flowlet") {
        const { javascript } = await import("./javascript.ts")
        found(javascript)
      }
    }
    // The editor works without it too.
    if (isUsed) load().catch(() => {})
    return () => {
      isOver = true
    }
  }, [operator, isUsed])
  return language?.operator === operator ? language.extension : undefined
}

const FaultList = ({ faults }: { readonly faults: ReadonlyArray<Fault> }) => (
  <div role="alert">
    <ul className={css.faults}>
      {faults.map(({ part = "", source, line, column, detail }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: faults have no names of their own.
        <li key={at}>
          {line === undefined ? null : (
            <b>{t.faultAt(source ?? t.parts[part as keyof typeof t.parts] ?? part, line, column ?? 1)} </b>
          )}
          {detail}
        </li>
      ))}
    </ul>
  </div>
)

/** The patterns or the program, with options and faults. */
export const PatternPanel = ({
  draft,
  change,
  tenant,
  colours,
  faults,
  failedAt,
  ready
}: {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  readonly tenant: string
  readonly colours: ReadonlyMap<string, number>
  readonly faults: ReadonlyArray<Fault>
  readonly failedAt: string | undefined
  readonly ready: (view: EditorView) => void
}) => {
  const id = useId()
  const [isUsed, setUsed] = useState(false)
  const { operator } = draft
  const language = useLanguage(draft, tenant, isUsed || operator === "flowlet")
  const part = operator === "flowlet" ? "logFile" : "pattern"
  const extensions = useMemo(
    () => [patternMarks(operator, { colours, faults, part, failedAt }), language ?? []],
    [operator, colours, faults, part, failedAt, language]
  )
  return (
    <section className={css.panel} aria-labelledby={id} onFocus={() => setUsed(true)}>
      <div className={css.panelHead}>
        <h2 id={id}>{t.patterns[operator]}</h2>
        <span className={css.help}>{t.patternHelp[operator]}</span>
      </div>
      <Editor
        key={operator}
        className={`${css.pattern} ${operator === "flowlet" ? css.program : ""}`}
        value={draft.texts[operator]}
        label={t.patterns[operator]}
        help={t.patternHelp[operator]}
        wraps
        extensions={extensions}
        onChange={(text) => change({ texts: { ...draft.texts, [operator]: text } })}
        ready={(view) => {
          ready(view)
          return undefined
        }}
      />
      {faults.length > 0 ? <FaultList faults={faults} /> : null}
      <Options draft={draft} change={change} />
    </section>
  )
}

const Options = ({
  draft: { operator, definitions, ecs, separator, whole },
  change
}: {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
}) => (
  <details className={css.options}>
    <summary>{t.options}</summary>
    <div className={css.optionList}>
      {operator === "dissect" ? (
        <label className={css.inline}>
          {t.separator}
          <input value={separator} maxLength={100} onChange={({ target }) => change({ separator: target.value })} />
        </label>
      ) : (
        <>
          <label className={css.inline}>
            <input type="checkbox" checked={ecs} onChange={({ target }) => change({ ecs: target.checked })} />
            {t.ecs}
          </label>
          <span className={css.help}>{t.definitions}</span>
          <Editor
            className={css.definitions!}
            value={definitions}
            label={t.definitions}
            onChange={(text) => change({ definitions: text })}
          />
        </>
      )}
      <label className={css.inline}>
        <input type="checkbox" checked={whole} onChange={({ target }) => change({ whole: target.checked })} />
        {t.whole}
      </label>
    </div>
  </details>
)
