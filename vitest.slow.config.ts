import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { SlowFirst } from "./test/support/slowFirst.ts"

/**
 * Tests that take more than about two seconds of processor time: those that kill, freeze and cut off processes, start many
 * runs, or measure how time and memory grow, and laws that are tried many times. They are no part of `npm test`, which
 * takes less than five minutes on one core; the gate runs them.
 */
export default defineConfig({
  test: {
    include: ["test/**/*.slow.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    setupFiles: ["test/support/bundled.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    // More than the cores: these tests wait more than they compute. One PostgreSQL serves them all, so there is an end.
    maxWorkers: 2 * Math.min(3, availableParallelism()),
    isolate: false,
    sequence: { sequencer: SlowFirst },
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
