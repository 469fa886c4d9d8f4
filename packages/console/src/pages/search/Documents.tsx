import { type ReactNode, useMemo } from "react"
import { timeWidth } from "../../parts/columns.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { search as t } from "../../texts/en.ts"
import type { Found } from "./Request.ts"
import type { Change, State } from "./State.ts"
import css from "./search.module.css"
import { fieldsOf, marked, markOf, textOf, valueAt, wordsOf } from "./Values.tsx"

/** Maximum number of characters of a value, and of fields of a document, that a row shows. */
const longest = 400
const mostFields = 30

const nameOf = ({ index, id }: Found): string => `${index}/${id}`

const summary = ({ source }: Found, mark: RegExp | undefined): ReactNode =>
  fieldsOf(source)
    .filter(([name]) => name !== "@timestamp")
    .slice(0, mostFields)
    .map(([name, value]) => (
      <span key={name} className={css.pair}>
        <b>{name}</b> {marked(textOf(value).slice(0, longest), mark)}
      </span>
    ))

/** The pattern that marks the words and values of the search. */
export const useMark = ({ q, filters }: State): RegExp | undefined =>
  useMemo(
    () =>
      markOf([
        ...wordsOf(q),
        ...filters
          .filter(({ isNot }) => !isNot)
          .map(({ value }) => textOf(value))
          .filter((text) => text !== "")
      ]),
    [q, filters]
  )

/** The documents found, in the order of the gateway's answer. */
export const Documents = ({
  documents,
  state,
  change,
  more
}: {
  readonly documents: ReadonlyArray<Found>
  readonly state: State
  readonly change: Change
  readonly more: (() => void) | undefined
}) => {
  const mark = useMark(state)
  const { columns: names } = state
  const columns = useMemo((): ReadonlyArray<Column<Found>> => {
    // The value only enables sorting; the gateway sorts.
    const sorts = () => undefined
    const time: Column<Found> = {
      id: "@timestamp",
      title: t.time,
      value: sorts,
      cell: ({ source }) => {
        const at = valueAt(source, "@timestamp")
        return typeof at === "string" || typeof at === "number" ? <Time at={at} /> : textOf(at)
      },
      width: timeWidth
    }
    if (names.length === 0) {
      return [
        time,
        { id: "document", title: t.document, cell: (found) => summary(found, mark), width: "minmax(240px, 1fr)" }
      ]
    }
    return [
      time,
      ...names
        .filter((name) => name !== "@timestamp")
        .map(
          (name): Column<Found> => ({
            id: name,
            title: name,
            value: sorts,
            cell: ({ source }) => (
              <span className={css.value}>{marked(textOf(valueAt(source, name)).slice(0, longest), mark)}</span>
            ),
            width: "minmax(120px, 1fr)"
          })
        )
    ]
  }, [names, mark])
  return (
    <Table
      label={t.results}
      columns={columns}
      rows={documents}
      keyOf={nameOf}
      current={state.doc === "" ? undefined : state.doc}
      onOpen={(found) => change({ doc: nameOf(found) })}
      order={state.sort}
      onOrder={(sort) => change({ sort }, "replace")}
      end={more}
    />
  )
}
