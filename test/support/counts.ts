import type { Reporter, TestModule } from "vitest/node"

/** Prints the counts of a test run as its last line. A file that cannot be run counts as a failure. */
export default class Counts implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      counts.failed += module.errors().length
      for (const test of module.children.allTests()) counts[test.result().state]++
    }
    const skipped = counts.skipped + counts.pending
    const line = `${counts.passed} passed, ${counts.failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`
    // The default reporter still has to print its summary.
    process.once("exit", () => process.stdout.write(`${line}\n`))
  }
}
