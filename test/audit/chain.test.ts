import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Head, origin, retentionAction } from "../../src/services/audit/Chain.ts"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { chained } from "../memory/Audit.ts"
import { entry, faultOf } from "./support.ts"

const time = "2026-01-01T00:00:00.000000Z"

/** A chain of so many rows, all of them different. */
const chain = (length: number): Array<AuditEntry> => {
  const rows: Array<AuditEntry> = []
  for (let n = 0; n < length; n++) rows.push(chained(rows.at(-1), "mytenant", time, entry({ target: `t${n}` })))
  return rows
}

const headOf = (rows: ReadonlyArray<AuditEntry>): Head => rows.at(-1) ?? { seq: 0, hash: origin }

/** The chain after retention has removed its first rows. */
const expired = (rows: ReadonlyArray<AuditEntry>, removed: number): Array<AuditEntry> => {
  const last = rows[removed - 1]!
  const stays = entry({ action: retentionAction, target: String(last.seq), before: last.hash, after: null })
  return [...rows.slice(removed), chained(rows.at(-1), "mytenant", time, stays)]
}

const Text = Schema.String.check(Schema.isMaxLength(20))
const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
const Mutation = Schema.Union([
  Schema.Struct({
    kind: Schema.Literals(["principal", "method", "action", "target", "requestId", "time", "hash", "previous"]),
    at: Place,
    text: Text
  }),
  Schema.Struct({
    kind: Schema.Literals(["tenant", "remote", "before", "after"]),
    at: Place,
    text: Schema.NullOr(Text)
  }),
  Schema.Struct({ kind: Schema.Literals(["status", "count", "seq"]), at: Place, number: Schema.Int }),
  Schema.Struct({
    kind: Schema.Literal("outcome"),
    at: Place,
    outcome: Schema.Literals(["begun", "refused", "failed"])
  }),
  Schema.Struct({ kind: Schema.Literal("delete"), at: Place }),
  Schema.Struct({ kind: Schema.Literal("swap"), at: Place, with: Place }),
  Schema.Struct({ kind: Schema.Literal("insert"), at: Place, renumber: Schema.Boolean, text: Text })
])

/** The rows as a reader finds them after somebody has tampered with them, in the order of their numbers. */
const mutated = (rows: ReadonlyArray<AuditEntry>, mutation: typeof Mutation.Type): ReadonlyArray<AuditEntry> => {
  const { at } = mutation
  const row = rows[at]!
  const replaced = (value: unknown) => rows.with(at, { ...row, [mutation.kind]: value })
  const sorted = (all: ReadonlyArray<AuditEntry>) => all.toSorted((a, b) => a.seq - b.seq)
  switch (mutation.kind) {
    case "delete":
      return rows.toSpliced(at, 1)
    case "swap": {
      const other = rows[mutation.with]!
      return sorted(rows.with(at, { ...other, seq: row.seq }).with(mutation.with, { ...row, seq: other.seq }))
    }
    case "insert": {
      // Whoever inserts a row can make it fit to the one before it.
      const news = chained(rows[at - 1], "mytenant", time, entry({ target: `inserted ${mutation.text}` }))
      const rest = rows.slice(at).map((later) => (mutation.renumber ? { ...later, seq: later.seq + 1 } : later))
      return sorted([...rows.slice(0, at), news, ...rest])
    }
    case "seq":
    case "status":
    case "count":
      return sorted(replaced(mutation.number))
    case "outcome":
      return replaced(mutation.outcome)
    default:
      return replaced(mutation.text)
  }
}

describe("a chain of rows", () => {
  for (const length of [0, 1, 2, 10]) {
    it(`of ${length} is whole`, () => {
      const rows = chain(length)
      expect(faultOf(rows, headOf(rows))).toBeUndefined()
    })
  }

  it.effect.prop(
    "shows every change, removal, exchange and insertion of a row, wherever it is",
    { mutation: Mutation },
    ({ mutation }) =>
      Effect.sync(() => {
        for (const rows of [chain(10), expired(chain(13), 4)]) {
          const after = mutated(rows, mutation)
          const isSame = JSON.stringify(after) === JSON.stringify(rows)
          expect(faultOf(after, headOf(rows)) === undefined).toBe(isSame)
        }
      }),
    { arbitrary: { runs: 2000 } }
  )

  it("names the row at which a fault shows", () => {
    const rows = chain(10)
    const head = headOf(rows)
    const changed = rows.with(4, { ...rows[4]!, principal: "user:mallory" })
    expect(faultOf(changed, head)).toEqual({ seq: 5, detail: expect.stringContaining("row 5 was changed") })
    expect(faultOf(rows.toSpliced(4, 1), head)).toEqual({ seq: 5, detail: "row 5 is missing, 6 follows" })
    expect(faultOf(rows.slice(0, 8), head)).toEqual({ seq: 9, detail: "row 9 is missing: the head is 10" })
    expect(faultOf(rows.slice(2), head)).toMatchObject({ seq: 1 })
    expect(faultOf(rows, undefined)).toMatchObject({ seq: 10 })
    expect(faultOf([], head)).toMatchObject({ seq: 1 })
    // A row whose hash was made anew does not fit to the next one, or to the head.
    const forged = chained(rows[3], "mytenant", time, entry({ principal: "user:mallory" }))
    expect(faultOf(rows.with(4, forged), head)).toMatchObject({ seq: 6 })
    const last = chained(rows[8], "mytenant", time, entry({ principal: "user:mallory" }))
    expect(faultOf(rows.with(9, last), head)).toMatchObject({ seq: 10 })
  })

  it("goes on from the rows that retention has removed, and from no others", () => {
    const rows = expired(chain(10), 4)
    expect(faultOf(rows, headOf(rows))).toBeUndefined()
    const twice = expired(rows, 3)
    expect(faultOf(twice, headOf(twice))).toBeUndefined()
    expect(faultOf(rows.slice(1), headOf(rows))).toEqual({
      seq: 5,
      detail: expect.stringContaining("row 5 is missing")
    })
    // The row that tells what was removed is one of the chain: without it nothing was.
    expect(faultOf(rows.slice(0, -1), headOf(rows.slice(0, -1)))).toMatchObject({ seq: 1 })
  })
})
