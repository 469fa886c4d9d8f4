import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Test files that start many processes or wait for them, longest first: started last, one would run alone at the end.
 */
const slow = [
  "slow/outage",
  "slow/many-entries",
  "slow/",
  "console/rights",
  "console/frame",
  "console/output",
  "console/flowlinesKept",
  "console/guide",
  "docs.test",
  "executions/",
  "schedules/",
  "e2e/",
  "engine/",
  "isolation/"
]

const rank = ({ moduleId }: TestSpecification): number => {
  const at = slow.findIndex((name) => moduleId.includes(`/test/${name}`))
  return at === -1 ? slow.length : at
}

/** In a clean clone the durations of the tests are unknown. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
