import type { SampleResult } from "../../services/operators/OperatorTest.ts"
import type { Turn } from "./WorkerMessages.ts"

/** The result of a sample as JSON text. */
export interface Row {
  readonly json: string
  readonly matched: boolean
}

/** Ends a turn when its results reach this length in UTF-16 units, because few samples can produce many results. */
export const turnLength = 4 * 1024 * 1024
/** Length of the excerpt of a sample that is too long. */
const shownLength = 1024

export const row = (result: SampleResult): Row => ({ json: JSON.stringify(result), matched: result.matched })

export const tooLong = (sample: { readonly line: number; readonly text: string }, limit: number): Row =>
  row({
    line: sample.line,
    input: sample.text.slice(0, shownLength),
    truncated: true,
    matched: false,
    failure: { reason: "no-match", detail: `not tried: a sample has at most ${limit} characters`, matchedUpTo: 0 }
  })

export const summed = (rows: ReadonlyArray<Row>): Pick<Turn, "json" | "matched"> => ({
  json: new TextEncoder().encode(rows.map(({ json }) => `,${json}`).join("")),
  matched: rows.reduce((count, { matched }) => count + (matched ? 1 : 0), 0)
})
