import type { SortedPage, SortedSpan } from "../../src/drivers/search/Search.ts"
import type { Hit } from "../../src/languages/query/IndexedDocument.ts"
import type { SortKey, SortValue } from "../../src/languages/query/Sort.ts"
import { storable } from "../../src/languages/query/StoredText.ts"
import { compareTexts } from "../../src/languages/query/text/TextPattern.ts"
import { compareKeys, elementsOf, rawAt, scalarKey } from "./Aggregations.ts"
import type { StoredDocument } from "./Evaluate.ts"

const compareValues = ({ descending, missingFirst }: SortKey, a: SortValue, b: SortValue): number => {
  if (a === null || b === null) return (Number(a === null) - Number(b === null)) * (missingFirst ? -1 : 1)
  return compareKeys(a, b, descending ? -1 : 1)
}

const valueOf = (key: SortKey, document: StoredDocument): SortValue =>
  elementsOf(rawAt(document, key.field))
    .flatMap((value) => scalarKey(value, Number.POSITIVE_INFINITY) ?? [])
    .sort((a, b) => compareKeys(a, b, key.descending ? -1 : 1))[0] ?? null

/** A page of documents in the order of a sort. */
export const sortedPage = <Found extends StoredDocument>(
  documents: ReadonlyArray<Found>,
  { sort, from, limit, bytes, after }: SortedSpan,
  hitOf: (found: Found) => Hit
): SortedPage => {
  const compare = (a: ReadonlyArray<SortValue>, b: ReadonlyArray<SortValue>): number =>
    sort.reduce((order, key, at) => order || compareValues(key, a[at] ?? null, b[at] ?? null), 0)
  const ties = (a: Pick<StoredDocument, "id" | "index">, b: Pick<StoredDocument, "id" | "index">) =>
    compareTexts(a.id, b.id) || compareTexts(a.index, b.index)
  const rows = documents
    .map((document) => ({ document, values: sort.map((key) => valueOf(key, document)) }))
    .filter(({ document, values }) => {
      if (after === undefined) return true
      const order = compare(values, after.values)
      if (order !== 0 || after.id === undefined) return order > 0
      return ties(document, { id: storable(after.id), index: after.index ?? "" }) > 0
    })
    .sort((a, b) => compare(a.values, b.values) || ties(a.document, b.document))
  const hits = rows.slice(from, from + limit).map(({ document, values }) => ({ ...hitOf(document), sort: values }))
  let used = 0
  const over = hits.findIndex(({ source }, at) => {
    used += Buffer.byteLength(source)
    return at > 0 && used > bytes
  })
  return over === -1 ? { hits, more: rows.length > from + limit } : { hits: hits.slice(0, over), more: true }
}
