import { describe, expect, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { parseFailCondition, whyFails } from "../../src/languages/FailCondition.ts"
import { issues } from "../flowlines/read.ts"

const fault = (text: string) => {
  const parsed = parseFailCondition(text)
  if (Result.isSuccess(parsed)) throw new Error(`accepted: ${text}`)
  return [parsed.failure.column, parsed.failure.detail]
}

/** Why a condition fails a run with these counts, of the flowline and of the node `parse`. */
const why = (text: string, own: number, ofNode = 0, records = 100) =>
  whyFails(Result.getOrThrow(parseFailCondition(text)), ({ component }) =>
    component === undefined ? { count: own, records } : { count: ofNode, records: 10 }
  )

const pieces = ["rejected", "parse", ".", " ", ">", "=", "5", "%", "and", "or", '"', "records", "ü", "\n", "0.5", "<"]

describe("failWhen", () => {
  it("compares counts and shares, of the flowline and of nodes", () => {
    expect(why("rejected > 5 %", 6)).toBe("rejected is 6 of 100 (6 %)")
    expect(why("rejected > 5 %", 5)).toBeUndefined()
    expect(why("rejected>=5%", 5)).toBe("rejected is 5 of 100 (5 %)")
    expect(why("rejected > 0.5 %", 1, 0, 300)).toBeUndefined()
    expect(why("records == 0", 0)).toBe("records is 0")
    expect(why("records = 0", 1)).toBeUndefined()
    expect(why("parse.matched != 10", 0, 9)).toBe("parse.matched is 9")
    expect(why('"parse".unmatched > 10 %', 0, 2)).toBe("parse.unmatched is 2 of 10 (20 %)")
    expect(why("rejected > 10 and parse.rejected > 1 or written < 1", 20, 2)).toBe(
      "rejected is 20 and parse.rejected is 2"
    )
    expect(why("rejected > 10 and parse.rejected > 1 or written < 1", 20, 0)).toBeUndefined()
    expect(why("rejected > 10 and parse.rejected > 1 or written < 1", 0, 0)).toBe("written is 0")
    // Without records there is no share.
    expect(why("rejected < 5 %", 0, 0, 0)).toBeUndefined()
  })

  it("says what is wrong, where, and what may be meant", () => {
    expect(fault("rejectd > 5 %")).toEqual([1, 'Nothing that is counted is named "rejectd"; did you mean "rejected"?'])
    expect(fault("parse.machted == 0")).toEqual([
      7,
      'Nothing that is counted is named "machted"; did you mean "matched"?'
    ])
    expect(fault("rejected 5")).toEqual([10, 'Expected >=, <=, ==, !=, >, <, =, found "5"'])
    expect(fault("rejected > many")).toEqual([12, 'Expected a number, found "many"'])
    expect(fault("rejected > 5 % records == 0")).toEqual([16, 'Expected and, or or the end, found "records"'])
    expect(fault("rejected > 5 % and")).toEqual([
      19,
      "Expected what is counted (records, read, written, rejected, dropped, matched, unmatched, files), found the end"
    ])
    expect(fault("rejected > 101 %")).toEqual([12, "A share is at most 100 %"])
    expect(fault("records > 5 %")).toEqual([
      1,
      "The share of records in the records says nothing: compare their number"
    ])
    expect(fault("rejected > 5 ; drop")).toEqual([14, 'Unexpected ";"'])
    expect(fault("")[0]).toBe(1)
  })

  it.effect.prop(
    "gives every text a condition or a fault within it",
    { picks: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: pieces.length - 1 }))) },
    ({ picks }) =>
      Effect.sync(() => {
        const text = picks.map((pick) => pieces[pick]).join("")
        const parsed = parseFailCondition(text)
        if (Result.isSuccess(parsed)) return
        expect(parsed.failure.column).toBeGreaterThan(0)
        expect(parsed.failure.column).toBeLessThanOrEqual(text.length + 1)
      }),
    { arbitrary: { runs: 500 } }
  )

  it("is checked against the nodes when a flowline is saved", () => {
    const text = `
runtime: stream
settings:
  failWhen:
    - "rejected > 5 %"
    - 'access.records == 0 or "access".files == 0'
    - pasre.matched == 0
    - access.matched == 0
    - written <
dag:
  - { type: file_input, component: access, settings: { path: a.log }, publish: [ { stream: out } ] }
  - { type: grok, component: parse, settings: { patterns: [ "%{WORD}" ] }, subscribe: [ { component: access, stream: out } ], publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: parse, stream: out } ] }
`
    expect(issues(text).map(({ pointer, line, column, detail }) => [pointer, line, column, detail])).toEqual([
      ["/settings/failWhen/2", 7, 7, 'There is no component "pasre"; did you mean "parse"?'],
      [
        "/settings/failWhen/3",
        8,
        14,
        "access does not count matched: it counts records, read, written, rejected, files"
      ],
      ["/settings/failWhen/4", 9, 16, "Expected a number, found the end"]
    ])
  })
})
