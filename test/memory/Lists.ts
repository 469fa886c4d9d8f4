import type { ListSpan } from "../../src/services/shared/Listing.ts"
import type { LinePage, StoredLine } from "../../src/services/shared/OutputLines.ts"

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

/** The part of an ordered list that a span asks for, as PostgreSQL would give it. */
export const spanOf = <A>(items: ReadonlyArray<A>, span: ListSpan, ordinal: (item: A) => number): ReadonlyArray<A> => {
  const after = Number(span.after ?? 0)
  const rest = items.filter((item) => ordinal(item) > after).sort((a, b) => ordinal(a) - ordinal(b))
  return span.limit === undefined ? rest : rest.slice(0, span.limit)
}
