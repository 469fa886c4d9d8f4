import type { ListSpan } from "../../src/services/shared/Listing.ts"

/** The part of an ordered list that a span asks for, as PostgreSQL would give it. */
export const spanOf = <A>(items: ReadonlyArray<A>, span: ListSpan, ordinal: (item: A) => number): ReadonlyArray<A> => {
  const after = Number(span.after ?? 0)
  const rest = items.filter((item) => ordinal(item) > after).sort((a, b) => ordinal(a) - ordinal(b))
  return span.limit === undefined ? rest : rest.slice(0, span.limit)
}
