import type { Statement } from "effect/sql/Statement"
import type { Part } from "../indices/Catalog.ts"
import { TooManyIndices } from "../Search.ts"
import { compact } from "../statements/CompactStatement.ts"
import type { Cut, Group } from "./Select.ts"

/**
 * Number of parts that one statement opens. Each takes up to five locks until the statement's transaction ends, and all
 * connections of the server share `max_connections` times `max_locks_per_transaction` of them.
 */
const usual = 32

/** Maximum number of parts with documents of the same month, which have to be open together. */
const together = 64

/**
 * Maximum numbers of parameters of a statement, which the protocol counts in 16 bits, and of its pieces, which Effect
 * passes as the arguments of a call.
 */
const largest = { parameters: 65_535, pieces: 80_000 }

/** Parts that one statement can open: all those of a search that is not divided by time. */
export const atMost = together

/** A search that cannot be divided covers too many parts, or its query is too long for them. */
export const tooManyParts = (parts: number): TooManyIndices =>
  new TooManyIndices({
    detail: `The search covers ${parts} tables of indices and months; at most ${together} can be sorted or aggregated together, fewer by a long query: name fewer indices, or a shorter range of @timestamp`
  })

/** Whether a statement is one that the protocol and the client take. */
export const fits = (statement: Statement<object>): boolean =>
  statement.segments.length <= largest.pieces && compact(statement)[1].length <= largest.parameters

const none = { parameters: 0, pieces: 0 }

const startOf = (month: string): Cut => ({ at: String(Date.parse(`${month}-01T00:00:00Z`)), id: "" })

/**
 * Divides the parts of a search by time, in result order. The parts without a month can have documents of any time, so
 * they are in every group.
 *
 * @param size numbers of parameters and pieces of the statement on one part
 */
export const groupsOf = (parts: ReadonlyArray<Part>, size = none): ReadonlyArray<Group> | TooManyIndices => {
  const room = Math.floor(Math.min(largest.parameters / (size.parameters + 4), largest.pieces / (size.pieces + 8)))
  const [few, most] = [Math.min(usual, room), Math.min(together, room)]
  if (parts.length <= few) return [{ parts, slice: { from: undefined, to: undefined } }]
  const months = Map.groupBy(parts, ({ month }) => month)
  const undated = months.get("") ?? []
  months.delete("")
  const found: Array<{ readonly first: string; readonly parts: Array<Part> }> = []
  for (const [month, own] of [...months].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = found.at(-1)
    if (last !== undefined && last.parts.length + own.length <= few) last.parts.push(...own)
    else found.push({ first: month, parts: [...undated, ...own] })
  }
  if (found.length === 0) found.push({ first: "", parts: undated })
  const large = found.find((group) => group.parts.length > most)
  if (large !== undefined) {
    const count = new Set(large.parts.map(({ index }) => index)).size
    return new TooManyIndices({
      detail: `The search covers ${count} indices with documents of the same month; at most ${most} can be searched together${most < together ? " by such a long query" : ""}: name fewer of them`
    })
  }
  return found.map(({ parts }, at) => ({
    parts,
    slice: {
      from: at === 0 ? undefined : startOf(found[at]!.first),
      to: at === found.length - 1 ? undefined : startOf(found[at + 1]!.first)
    }
  }))
}
