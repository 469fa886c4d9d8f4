import type { EmptyField } from "../../languages/query/aggregation/EmptyFields.ts"
import type { SortKey, SortValue } from "../../languages/query/Sort.ts"
import { suggestion } from "../../languages/Suggest.ts"
import type { SearchWarning } from "./SearchRequest.ts"

/** The fields of a sort that no document of the page has. */
export const unsortedFields = (
  sort: ReadonlyArray<SortKey>,
  given: unknown,
  page: ReadonlyArray<ReadonlyArray<SortValue>>
): ReadonlyArray<EmptyField> =>
  page.length === 0
    ? []
    : sort.flatMap(({ field }, at) =>
        page.every((values) => values[at] === null)
          ? [{ pointer: Array.isArray(given) ? `/sort/${at}` : "/sort", field }]
          : []
      )

/** What may be meant: a similar name, or one whose last part this is. */
const meant = (field: string, known: ReadonlyArray<string>): string => {
  const inner = known.find((name) => name.endsWith(`.${field}`) || field.endsWith(`.${name}`))
  return suggestion(field, known) || (inner === undefined ? "" : `; did you mean ${JSON.stringify(inner)}?`)
}

/** Warnings of fields that no document has, each with its place. `known` are the fields of some documents. */
export const fieldWarnings = (
  empty: ReadonlyArray<EmptyField>,
  missing: ReadonlyArray<string>,
  known: ReadonlyArray<string>
): ReadonlyArray<SearchWarning> =>
  empty.flatMap(({ pointer, field }) =>
    missing.includes(field)
      ? [{ pointer, field, detail: `No document has a field ${JSON.stringify(field)}${meant(field, known)}` }]
      : []
  )
