import { useId, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { Button } from "../../parts/Button.tsx"
import { messageOf } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import { common, search as t } from "../../texts/en.ts"
import { bucketsOf, type Field, valueOfBucket } from "./Fields.ts"
import { patternOf, queryOf } from "./Request.ts"
import type { Change, Filter, State } from "./State.ts"
import css from "./search.module.css"
import { textOf } from "./Values.tsx"

const mostShown = 200

/** Buttons that require or exclude a value. */
export const FilterButtons = ({
  field,
  value,
  add
}: {
  readonly field: string
  readonly value: Filter["value"]
  readonly add: (filter: Filter) => void
}) => (
  <span className={css.filterButtons}>
    <Button
      className={css.small!}
      aria-label={t.filterFor(field, textOf(value))}
      onPress={() => add({ field, value, isNot: false })}
    >
      +
    </Button>
    <Button
      className={css.small!}
      aria-label={t.filterOut(field, textOf(value))}
      onPress={() => add({ field, value, isNot: true })}
    >
      −
    </Button>
  </span>
)

/** The most frequent values of a field in the documents found. */
const Values = ({
  tenant,
  state,
  zone,
  field,
  add
}: {
  readonly tenant: string
  readonly state: State
  readonly zone: string
  readonly field: string
  readonly add: (filter: Filter) => void
}) => {
  const { value, error } = useAnswer(
    (signal) =>
      gateway.search.search(
        {
          params: { tenant },
          payload: {
            index: patternOf(tenant, state),
            query: queryOf(state, zone),
            size: 0,
            aggs: { values: { terms: { field, size: 10 } } }
          }
        },
        { signal }
      ),
    [tenant, field, JSON.stringify([state.index, state.q, state.from, state.to, state.filters])]
  )
  if (error !== undefined) return <p className={css.fault}>{messageOf(error)}</p>
  if (value === undefined) return <p className={shared.dim}>{common.loading}</p>
  const buckets = bucketsOf(value.aggregations?.["values"])
  if (buckets.length === 0) return <p className={shared.dim}>{t.noValues}</p>
  return (
    <ul className={css.values} aria-label={t.valuesOf(field)}>
      {buckets.map((bucket) => {
        const found = valueOfBucket(bucket)
        return (
          <li key={textOf(found)}>
            <span className={css.value}>{textOf(found)}</span>
            <span className={shared.dim}>{common.count(bucket.doc_count)}</span>
            <FilterButtons field={field} value={found} add={add} />
          </li>
        )
      })}
    </ul>
  )
}

/** The fields of the indices. Each can become a column and show its values. */
export const FieldList = ({
  tenant,
  state,
  change,
  zone,
  fields,
  add
}: {
  readonly tenant: string
  readonly state: State
  readonly change: Change
  readonly zone: string
  readonly fields: ReadonlyArray<Field>
  readonly add: (filter: Filter) => void
}) => {
  const id = useId()
  const [wanted, setWanted] = useState("")
  const [open, setOpen] = useState<string>()
  const shown = fields.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
  const toggle = (name: string) =>
    change(
      {
        columns: state.columns.includes(name) ? state.columns.filter((one) => one !== name) : [...state.columns, name]
      },
      "replace"
    )
  return (
    <details className={css.fields} open={matchMedia("(min-width: 900px)").matches}>
      <summary id={id}>{t.fieldsOf(fields.length)}</summary>
      <input
        className={shared.input}
        aria-label={t.findField}
        placeholder={t.findField}
        value={wanted}
        spellCheck={false}
        onChange={({ target }) => setWanted(target.value)}
      />
      <ul aria-labelledby={id} className={css.fieldList}>
        {shown.slice(0, mostShown).map(({ name, types }) => (
          <li key={name}>
            <label>
              <input type="checkbox" checked={state.columns.includes(name)} onChange={() => toggle(name)} />
              <span className={css.value}>{name}</span>
            </label>
            <Button
              className={css.type!}
              aria-expanded={open === name}
              aria-label={t.showValues(name, types.join(", "))}
              onPress={() => setOpen(open === name ? undefined : name)}
            >
              {types.join(", ")}
            </Button>
            {open === name ? <Values tenant={tenant} state={state} zone={zone} field={name} add={add} /> : null}
          </li>
        ))}
      </ul>
      {shown.length > mostShown ? <p className={shared.dim}>{t.moreFields(shown.length - mostShown)}</p> : null}
    </details>
  )
}
