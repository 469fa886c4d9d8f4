import { useMemo } from "react"
import { Button } from "../../parts/Button.tsx"
import parts from "../../parts/parts.module.css"
import { flattened, valueText, visible } from "../../parts/values.ts"
import { tester as t } from "../../texts/en.ts"
import type { Draft } from "./Draft.ts"
import { bySample, expectationOf, holds } from "./expectations.ts"
import { plainName } from "./Fields.ts"
import { Sample } from "./Sample.tsx"
import type { Outcome, SampleResult } from "./Testing.ts"
import css from "./tester.module.css"

/** UTF-16 units of a sample or value that are shown. */
const most = 20_000
const mostFields = 200

type Failure = NonNullable<SampleResult["failure"]>

const Miss = ({ input, failure }: { readonly input: string; readonly failure: Failure }) => {
  const { reason, detail, matchedUpTo = 0, failedAt = "", message, line, column } = failure
  const isMiss = reason === "no-match"
  return (
    <div className={css.miss}>
      <p>
        <b>{t.failure[reason]}</b>
        {line === undefined ? null : ` (${t.at(line, column ?? 1)})`}
      </p>
      {message === undefined ? null : <pre>{visible(message)}</pre>}
      <dl className={css.missParts}>
        {isMiss ? (
          <>
            <dt>{t.matchedUpTo(matchedUpTo)}</dt>
            <dd>
              <code className={css.reached}>{visible(input.slice(0, matchedUpTo).slice(-400))}</code>
            </dd>
          </>
        ) : null}
        {failedAt === "" ? null : (
          <>
            <dt>{t.failedAt}</dt>
            <dd>
              <code className={css.failedAt}>{failedAt}</code>
            </dd>
          </>
        )}
        {isMiss ? (
          <>
            <dt>{t.rest}</dt>
            <dd>
              {matchedUpTo < input.length ? (
                <code className={css.rest}>{visible(input.slice(matchedUpTo, matchedUpTo + 400))}</code>
              ) : (
                t.nothingLeft
              )}
            </dd>
          </>
        ) : null}
        {detail === message ? null : (
          <>
            <dt>{t.hint}</dt>
            <dd>{visible(detail)}</dd>
          </>
        )}
      </dl>
    </div>
  )
}

const Fields = ({
  result,
  colours
}: {
  readonly result: SampleResult
  readonly colours: ReadonlyMap<string, number>
}) => {
  const fields = flattened(result.output).slice(0, mostFields)
  const syntax = new Map(result.captures?.map((capture) => [plainName(capture.name), capture.syntax]))
  return (
    <table className={css.fieldTable}>
      <thead>
        <tr>
          <th scope="col">{t.field}</th>
          <th scope="col">{t.value}</th>
          <th scope="col">{t.type}</th>
          <th scope="col">{t.by}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <span className={colours.has(name) ? css[`field${colours.get(name)}`] : ""}>{visible(name)}</span>
            </th>
            <td>
              <code>{valueText(value).slice(0, most)}</code>
            </td>
            <td>{Array.isArray(value) ? "list" : value === null ? "null" : typeof value}</td>
            <td>
              <code>{syntax.get(name) ?? ""}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** One line: its captures, or why it does not match, and buttons to other lines. */
export const Detail = ({
  draft,
  change,
  outcome,
  result,
  colours,
  current,
  setCurrent,
  propose
}: {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  readonly outcome: Outcome | undefined
  readonly result: SampleResult | undefined
  readonly colours: ReadonlyMap<string, number>
  readonly current: number
  readonly setCurrent: (line: number) => void
  readonly propose: (samples: string) => void
}) => {
  const results = outcome?.results ?? []
  const expected = useMemo(() => bySample(draft), [draft])
  if (outcome === undefined || results.length === 0) return null
  const isMiss = ({ matched, failure }: SampleResult) => !matched || failure !== undefined
  const next = results.find(({ line }) => line > current)
  const previous = results.findLast(({ line }) => line < current)
  const miss = results.find((one) => one.line > current && isMiss(one)) ?? results.find(isMiss)
  const go = (one: SampleResult | undefined) => () => {
    if (one !== undefined) setCurrent(one.line)
  }
  const isHeld = result === undefined ? undefined : holds(expected, result)
  const expect = () => {
    if (result === undefined) return
    const others = draft.expectations.filter(({ sample }) => sample !== result.input)
    change({ expectations: isHeld === true ? others : [...others, expectationOf(result)] })
  }
  const wanted = result === undefined ? undefined : expected.get(result.input)
  return (
    <section className={css.detail} aria-label={t.current(current)}>
      <div className={css.panelHead}>
        <h2 aria-live="polite">{t.current(current)}</h2>
        <Button className={parts.button} isDisabled={previous === undefined} onPress={go(previous)}>
          <span aria-hidden="true">‹ </span>
          {t.previous}
        </Button>
        <Button className={parts.button} isDisabled={next === undefined} onPress={go(next)}>
          {t.next}
          <span aria-hidden="true"> ›</span>
        </Button>
        <Button className={parts.button} isDisabled={miss === undefined || miss.line === current} onPress={go(miss)}>
          {t.nextMiss}
        </Button>
        <span className={css.gap} />
        {result === undefined ? null : (
          <>
            <Button className={parts.button} onPress={() => propose(result.input)}>
              {t.proposeLine}
            </Button>
            <Button className={parts.button} onPress={expect}>
              {isHeld === true ? t.unexpect : t.expect}
            </Button>
          </>
        )}
      </div>
      {result === undefined ? null : (
        <div className={css.detailBody}>
          <div className={css.whole}>
            <Sample result={result} colours={colours} most={most} />
          </div>
          {isHeld === false ? (
            <p className={css.brokenNote} role="alert">
              <b>{t.broken}.</b> {t.expected}:{" "}
              <code>{wanted?.output === undefined ? t.expectedMiss : valueText(wanted.output).slice(0, most)}</code>
            </p>
          ) : null}
          {result.failure === undefined ? null : <Miss input={result.input} failure={result.failure} />}
          {result.output === undefined ? null : <Fields result={result} colours={colours} />}
          {result.printed === undefined || result.printed.length === 0 ? null : (
            <>
              <h3>{t.printed}</h3>
              <pre>{visible(result.printed.join("\n")).replaceAll("␊", "\n")}</pre>
            </>
          )}
        </div>
      )}
    </section>
  )
}
