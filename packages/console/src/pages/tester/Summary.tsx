import { useMemo } from "react"
import { Button } from "../../parts/Button.tsx"
import parts from "../../parts/parts.module.css"
import { tester as t } from "../../texts/en.ts"
import { type Draft, isEmpty, mostExpectations } from "./Draft.ts"
import { checked, expectationOf } from "./expectations.ts"
import type { Outcome } from "./Testing.ts"
import css from "./tester.module.css"

interface Cost {
  readonly matches: number
  readonly micros: number
  readonly longest: number
}

/** The patterns of the draft, with the number of their matches and the time taken. */
const costs = (draft: Draft, { results }: Outcome): ReadonlyArray<readonly [text: string, cost: Cost]> => {
  const lines =
    draft.operator === "flowlet"
      ? []
      : draft.texts[draft.operator].split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"))
  const found = lines.map((): Cost => ({ matches: 0, micros: 0, longest: 0 }))
  for (const { pattern = 0, micros = 0, matched } of results) {
    const cost = found[pattern - 1]
    if (cost === undefined || !matched) continue
    found[pattern - 1] = {
      matches: cost.matches + 1,
      micros: cost.micros + micros,
      longest: Math.max(cost.longest, micros)
    }
  }
  return lines.map((line, at) => [line, found[at]!])
}

const PatternTable = ({ draft, outcome }: { readonly draft: Draft; readonly outcome: Outcome }) => {
  const found = useMemo(() => costs(draft, outcome), [draft, outcome])
  if (found.length === 0) return null
  return (
    <details className={css.options} open={found.length > 1}>
      <summary>{t.perPattern}</summary>
      <table className={css.costs}>
        <thead>
          <tr>
            <th scope="col">{t.by}</th>
            <th scope="col">{t.matches}</th>
            <th scope="col">{t.average}</th>
            <th scope="col">{t.longest}</th>
          </tr>
        </thead>
        <tbody>
          {found.map(([text, { matches, micros, longest }], at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pattern may stand there twice.
            <tr key={at}>
              <th scope="row">
                <code>{text.slice(0, 200)}</code>
              </th>
              <td>{matches === 0 ? <span className={css.warn}>{t.matchesNothing}</span> : matches}</td>
              <td>{matches === 0 ? "" : t.micros(Math.round(micros / matches))}</td>
              <td>{matches === 0 ? "" : t.micros(longest)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

/** How many expectations hold, with buttons to add or remove them. */
export const Expectations = ({
  draft,
  change,
  outcome
}: {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  readonly outcome: Outcome | undefined
}) => {
  const expected = useMemo(() => checked(draft, outcome), [draft, outcome])
  const { state, results } = outcome ?? { state: "running", results: [] }
  return (
    <>
      {draft.expectations.length === 0 ? null : (
        <span className={expected.broken === 0 ? css.good : css.bad} role="status">
          {t.expectations(draft.expectations.length - expected.broken, draft.expectations.length)}
        </span>
      )}
      <Button
        className={parts.button}
        isDisabled={state !== "done" || results.length === 0}
        onPress={() => change({ expectations: results.slice(0, mostExpectations).map(expectationOf) })}
      >
        {t.expectAll}
      </Button>
      {draft.expectations.length === 0 ? null : (
        <Button className={parts.button} onPress={() => change({ expectations: [] })}>
          {t.clearExpectations}
        </Button>
      )}
    </>
  )
}

/** How many lines match, the time per line, and remarks. */
export const Summary = ({ draft, outcome }: { readonly draft: Draft; readonly outcome: Outcome | undefined }) => {
  const micros = useMemo(() => {
    // The median, because the first line also compiles the pattern.
    const timed = (outcome?.results ?? []).flatMap((result) => result.micros ?? []).sort((one, other) => one - other)
    return timed[Math.floor(timed.length / 2)] ?? 0
  }, [outcome])
  if (outcome === undefined) {
    return isEmpty(draft) ? (
      <div className={css.emptyState}>
        <p>{t.empty}</p>
        <p className={css.help}>{t.emptyHint}</p>
      </div>
    ) : (
      <div key="none" className={css.summary}>
        <p className={css.summaryLine}>{t.testing}</p>
      </div>
    )
  }
  const { results, matched, hints, state } = outcome
  const share = results.length === 0 ? 0 : matched / results.length
  const isOver = state === "done" || state === "failed" || state === "lost"
  return (
    <div className={css.summary}>
      <div className={css.summaryLine}>
        <span role="status" className={css.rate}>
          {state === "failed" ? "" : isOver ? t.matched(matched, results.length) : t.testing}
          {state === "waiting" ? ` ${outcome.faults.length === 0 ? t.slowDown : t.repeats}` : ""}
        </span>
        <progress className={css.meter} max={1} value={share} aria-label={t.matched(matched, results.length)} />
        <span className={css.help}>{micros > 0 ? t.took(micros) : ""}</span>
      </div>
      {outcome.cut === undefined ? null : <p className={css.notice}>{t.cut(outcome.cut)}</p>}
      {hints.length === 0 ? null : (
        <ul className={css.hints} aria-label={t.warnings}>
          {hints.map((hint) => (
            <li key={hint}>{hint}</li>
          ))}
        </ul>
      )}
      <PatternTable draft={draft} outcome={outcome} />
    </div>
  )
}
