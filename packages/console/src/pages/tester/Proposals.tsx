import { form } from "@flow-gateway/client/light"
import { useEffect, useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import parts from "../../parts/parts.module.css"
import { visible } from "../../parts/values.ts"
import { tester } from "../../texts/en.ts"
import type { Draft } from "./Draft.ts"
import { faultsOf } from "./Testing.ts"
import css from "./tester.module.css"

type Answer = Awaited<ReturnType<typeof gateway.operators.propose>>

const t = tester.proposals
/** Maximum number of UTF-16 units to send: the gateway examines 4 MiB, and a unit takes at most three bytes. */
const longest = 1_300_000

/** Patterns that the gateway proposes for sample lines. */
const Proposals = ({
  draft,
  change,
  samples,
  tenant,
  close
}: {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  readonly samples: string
  readonly tenant: string
  readonly close: () => void
}) => {
  const [answer, setAnswer] = useState<Answer>()
  const [failure, setFailure] = useState<string>()
  const isEmpty = samples.trim() === ""
  useEffect(() => {
    if (isEmpty) return undefined
    const ending = new AbortController()
    const input = samples.slice(0, longest)
    answering(() =>
      gateway.operators.propose(
        { query: tenant === "" ? {} : { tenant }, payload: form({ input }) },
        { signal: ending.signal }
      )
    ).then(setAnswer, (error) => {
      if (!ending.signal.aborted) setFailure(faultsOf(error)[0]?.detail)
    })
    return () => ending.abort()
  }, [samples, tenant, isEmpty])
  const use = (operator: "grok" | "dissect", pattern: string, isAdded: boolean) => {
    const before = draft.texts[operator].trimEnd()
    const text = isAdded && before !== "" ? `${before}\n${pattern}` : pattern
    change({ operator, texts: { ...draft.texts, [operator]: text } })
    close()
  }
  return (
    <Dialog title={t.title} close={close}>
      {failure === undefined ? null : <p role="alert">{failure}</p>}
      {isEmpty ? <p>{t.none}</p> : answer === undefined && failure === undefined ? <p>{t.looking}</p> : null}
      {answer?.hints?.map((hint) => (
        <p key={hint} className={css.help}>
          {hint}
        </p>
      ))}
      <ul className={css.cards}>
        {answer?.proposals.map(({ operator, pattern, fields, matched, specificity, micros }) => (
          <li key={`${operator} ${pattern}`} className={css.card}>
            <div className={css.panelHead}>
              <b>{operator}</b>
              <span className={css.help}>
                {t.matched(matched, answer.total)} · {t.specificity(specificity)} · {tester.micros(Math.round(micros))}
              </span>
              <span className={css.gap} />
              <Button className={parts.primary} onPress={() => use(operator, pattern, false)}>
                {t.replace}
              </Button>
              <Button className={parts.button} onPress={() => use(operator, pattern, true)}>
                {t.add}
              </Button>
            </div>
            <code className={css.wrapped}>{visible(pattern)}</code>
            <p className={css.help}>
              {fields.map(({ name, type, examples }) => (
                <span key={name} className={css.chip}>
                  <b>{visible(name)}</b> {type} {examples.length === 0 ? "" : `${t.examples} ${visible(examples[0]!)}`}
                </span>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

export default Proposals
