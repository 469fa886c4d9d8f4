import { type Draft, type Expectation, sameJson } from "./Draft.ts"
import type { Outcome, SampleResult } from "./Testing.ts"

/** Expects the present result of a sample. */
export const expectationOf = ({ input, matched, output }: SampleResult): Expectation =>
  matched && output !== undefined ? { sample: input, output } : { sample: input }

/** Whether a result meets its expectation; undefined if there is none for its sample. */
export const holds = (expectations: ReadonlyMap<string, Expectation>, result: SampleResult): boolean | undefined => {
  const expected = expectations.get(result.input)
  return expected === undefined ? undefined : sameJson(expected, expectationOf(result))
}

export const bySample = ({ expectations }: Draft): ReadonlyMap<string, Expectation> =>
  new Map(expectations.map((expectation) => [expectation.sample, expectation]))

/** The number of broken expectations. An expectation without a sample counts as met. */
export const checked = (draft: Draft, outcome: Outcome | undefined): { readonly broken: number } => {
  const expected = bySample(draft)
  const broken = new Set<string>()
  for (const result of outcome?.results ?? []) if (holds(expected, result) === false) broken.add(result.input)
  return { broken: broken.size }
}
