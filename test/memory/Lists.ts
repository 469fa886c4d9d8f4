import { Stream } from "effect"
import type { ListRow, ListSpan } from "../../src/services/shared/reads/Listing.ts"
import type { LinePage, StoredLine } from "../../src/services/shared/reads/OutputLines.ts"

/** The first lines, as far as a page goes. */
export const linePageOf = (lines: ReadonlyArray<StoredLine>, { rows, bytes }: LinePage): ReadonlyArray<StoredLine> => {
  let before = 0
  const over = lines.findIndex(({ text }, at) => {
    if (at === rows || before >= bytes) return true
    before += Buffer.byteLength(text)
    return false
  })
  return over === -1 ? lines : lines.slice(0, over)
}

/** The part of a sorted list that a span selects, as PostgreSQL would return it. */
export const spanOf = <A>(items: ReadonlyArray<A>, span: ListSpan, ordinal: (item: A) => number): ReadonlyArray<A> => {
  const after = Number(span.after ?? 0)
  const rest = items.filter((item) => ordinal(item) > after).sort((a, b) => ordinal(a) - ordinal(b))
  return span.limit === undefined ? rest : rest.slice(0, span.limit)
}

/** Compares keys of numbers with `-` between them. */
const compareKeys = (one: string, other: string): number => {
  const [numbers, others] = [one, other].map((key) => key.split("-").map(Number))
  const at = numbers!.findIndex((number, index) => number !== others![index])
  return at === -1 ? 0 : numbers![at]! - (others![at] ?? 0)
}

/** A list in the order of its keys, from a span on. */
export const listed = <A>(
  items: ReadonlyArray<A>,
  { after, limit }: ListSpan,
  keyOf: (item: A) => string,
  jsonOf: (item: A) => unknown,
  order: "oldest" | "newest" = "oldest"
): Stream.Stream<ListRow> => {
  const way = order === "oldest" ? 1 : -1
  const rows = items
    .map((item) => ({ key: keyOf(item), json: JSON.stringify(jsonOf(item)) }))
    .filter(({ key }) => after === undefined || compareKeys(after, key) * way < 0)
    .sort((one, other) => compareKeys(one.key, other.key) * way)
  return Stream.fromIterable(rows.slice(0, limit ?? rows.length))
}
