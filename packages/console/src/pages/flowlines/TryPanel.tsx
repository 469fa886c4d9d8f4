import { useId } from "react"
import { Button } from "../../parts/Button.tsx"
import { Later } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { flowlines } from "../../texts/en.ts"
import { Fields } from "./Fields.tsx"
import own from "./flowlines.module.css"
import { hasParameters, withValue } from "./parameters.ts"
import type { Schema } from "./schema.ts"
import type { Sample, Trial } from "./useTry.ts"

const t = flowlines.tryOut
const result = () => import("./TryResult.tsx")

/** The sample on which the flowline is tried, and the result. */
const TryPanel = ({
  inputs,
  sample,
  setSample,
  trial,
  parameters,
  selected,
  onSelect,
  run,
  text,
  isOld,
  isDisabled
}: {
  /** The components of the inputs with their types. */
  readonly inputs: ReadonlyArray<readonly [name: string, type: string]>
  readonly sample: Sample
  readonly setSample: (sample: Sample) => void
  readonly trial: Trial
  readonly parameters: Schema | undefined
  /** The id of an edge or a node. */
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  readonly run: () => void
  readonly text: string
  readonly isOld: boolean
  readonly isDisabled: boolean
}) => {
  const id = useId()
  const isOwn = inputs.some(([name]) => (sample.texts[name] ?? "") === "")
  return (
    <section className={own.node} aria-label={t.title}>
      <div className={own.nodeHead}>
        <h2>{t.title}</h2>
        <Button className={look.primary!} onPress={run} isDisabled={isDisabled}>
          {trial.isBusy ? t.running : t.run}
        </Button>
      </div>
      <p className={css.dim}>{t.help}</p>
      {inputs.map(([name, type]) => (
        <div key={name} className={css.field}>
          <label htmlFor={`${id}-${name}`}>
            {t.sampleOf(name)} <code className={css.dim}>{type}</code>
          </label>
          <textarea
            id={`${id}-${name}`}
            className={own.sample}
            rows={3}
            spellCheck={false}
            placeholder={t.placeholder}
            value={sample.texts[name] ?? ""}
            onChange={({ target }) => setSample({ ...sample, texts: { ...sample.texts, [name]: target.value } })}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
              event.preventDefault()
              if (!isDisabled) run()
            }}
          />
        </div>
      ))}
      {isOwn && inputs.length > 0 ? (
        <label className={own.inline}>
          {t.first}
          <input
            className={css.input}
            type="number"
            min={0}
            max={10_000}
            value={sample.first}
            onChange={({ target }) =>
              setSample({ ...sample, first: Math.max(0, Math.min(10_000, Math.round(Number(target.value)))) })
            }
          />
        </label>
      ) : null}
      {hasParameters(parameters) ? (
        <Fields
          root={parameters}
          schema={parameters}
          value={sample.parameters}
          path={[]}
          change={(path, value) => setSample({ ...sample, parameters: withValue(sample.parameters, path, value) })}
          faultOf={() => undefined}
          isDisabled={isDisabled}
        />
      ) : null}
      <Problem error={trial.failed?.of === text ? trial.failed.error : undefined} />
      {trial.answer === undefined ? null : (
        <Later load={result} props={{ answer: trial.answer, selected, onSelect, isOld }} />
      )}
    </section>
  )
}

export default TryPanel
