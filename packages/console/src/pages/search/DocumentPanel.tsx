import { useEffect, useId, useRef, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { digitsIn, exactGateway } from "../../app/exact.ts"
import { Button } from "../../parts/Button.tsx"
import { copyAndSay } from "../../parts/copy.ts"
import { notedFocus } from "../../parts/focus.ts"
import { Problem } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { Time } from "../../parts/Time.tsx"
import { common, search as t } from "../../texts/en.ts"
import { useMark } from "./Documents.tsx"
import { FilterButtons } from "./FieldList.tsx"
import type { Change, Filter, Plain, State } from "./State.ts"
import css from "./search.module.css"
import { fieldsOf, marked, textOf } from "./Values.tsx"

const Icon = ({ path }: { readonly path: string }) => (
  <svg
    viewBox="0 0 16 16"
    width="14"
    height="14"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.3"
    aria-hidden="true"
  >
    <path d={path} />
  </svg>
)

/**
 * The values that can be searched for. A number with many digits is searched for by its text, which finds the number.
 */
const plainOf = (value: unknown): ReadonlyArray<Plain> => {
  const all: ReadonlyArray<unknown> = Array.isArray(value) ? value.slice(0, 20) : [value]
  return all
    .map((one) => digitsIn(one) ?? one)
    .filter((one): one is Plain => ["string", "number", "boolean"].includes(typeof one))
}

/** A document with all its fields. */
export const DocumentPanel = ({
  tenant,
  state,
  change,
  add
}: {
  readonly tenant: string
  readonly state: State
  readonly change: Change
  readonly add: (filter: Filter) => void
}) => {
  const id = useId()
  const close = useRef<HTMLButtonElement>(null)
  const mark = useMark(state)
  const [isJson, setJson] = useState(false)
  const slash = state.doc.indexOf("/")
  const [index, documentId] = [state.doc.slice(0, slash), state.doc.slice(slash + 1)]
  const { value, error, again } = useAnswer(
    (signal) =>
      exactGateway.search.search(
        { params: { tenant }, payload: { index, query: { ids: { values: [documentId] } }, limit: 1 } },
        { signal }
      ),
    [tenant, state.doc]
  )
  const found = value?.documents[0]
  // The focus moves into the opened document, and returns to the table when it is closed.
  useEffect(() => {
    const giveFocusBack = notedFocus()
    close.current?.focus()
    return giveFocusBack
  }, [])
  const leave = () => change({ doc: "" })
  return (
    <section
      aria-labelledby={id}
      className={css.panel}
      onKeyDown={({ key }) => {
        if (key === "Escape") leave()
      }}
    >
      <div className={css.panelHead}>
        <h2 id={id}>{t.documentTitle}</h2>
        <span className={css.gap} />
        <Button className={look.button!} isDisabled={found === undefined} onPress={() => setJson(!isJson)}>
          {isJson ? t.asFields : t.asJson}
        </Button>
        <Button
          className={look.button!}
          isDisabled={found === undefined}
          onPress={() => void copyAndSay(JSON.stringify(found?.source, undefined, 2))}
        >
          {common.copy}
        </Button>
        <Button ref={close} className={look.close!} aria-label={common.close} onPress={leave}>
          ×
        </Button>
      </div>
      <p className={css.where}>
        <code>{index}</code> <code>{documentId}</code>
      </p>
      <Problem error={error} again={again} />
      {value !== undefined && found === undefined ? <p>{t.noDocument}</p> : null}
      {found === undefined ? null : isJson ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
        <pre className={shared.code} tabIndex={0}>
          {marked(JSON.stringify(found.source, undefined, 2), mark)}
        </pre>
      ) : (
        <table className={css.document}>
          <colgroup>
            <col className={css.nameColumn} />
            <col />
            <col className={css.actionColumn} />
          </colgroup>
          <thead className={look.hidden}>
            <tr>
              <th scope="col">{t.field}</th>
              <th scope="col">{t.value}</th>
              <th scope="col">{t.actions}</th>
            </tr>
          </thead>
          <tbody>
            {fieldsOf(found.source).map(([name, one]) => {
              const plain = plainOf(one)
              const isColumn = state.columns.includes(name)
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    {plain.length === 0 ? <span className={css.text}>{marked(textOf(one), mark)}</span> : null}
                    {plain.map((part, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: a list may have a value twice.
                      <div key={at} className={css.line}>
                        <span className={css.text}>{marked(textOf(part), mark)}</span>
                        <FilterButtons field={name} value={part} add={add} />
                      </div>
                    ))}
                    {Array.isArray(one) && plain.length < one.length ? (
                      <span className={shared.dim}>{t.moreValues(one.length - plain.length)}</span>
                    ) : null}
                    {name === "@timestamp" && plain.length === 1 ? (
                      <span className={shared.dim}>
                        <Time at={String(one)} />
                      </span>
                    ) : null}
                  </td>
                  <td className={css.fieldActions}>
                    <Button
                      className={css.small!}
                      aria-label={t.copyValue(name)}
                      onPress={() => void copyAndSay(textOf(one))}
                    >
                      <Icon path="M5 2h8v9h-2v3H3V5h2zM5 5v6h6" />
                    </Button>
                    <Button
                      className={css.small!}
                      aria-label={isColumn ? t.noColumn(name) : t.asColumn(name)}
                      onPress={() =>
                        change(
                          {
                            columns: isColumn
                              ? state.columns.filter((column) => column !== name)
                              : [...state.columns, name]
                          },
                          "replace"
                        )
                      }
                    >
                      <Icon path={isColumn ? "M2 3h12v10H2zM4 8h8" : "M2 3h12v10H2zM6 3v10M10 3v10"} />
                    </Button>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}
