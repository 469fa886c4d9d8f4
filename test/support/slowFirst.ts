import { BaseSequencer, type TestSpecification } from "vitest/node"

/** What starts many processes or waits for them, the longest first: begun last, it would run alone in the end. */
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

/** A clean clone does not know how long its tests take. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
