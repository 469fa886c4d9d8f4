import { defineConfig } from "vitest/config"
import { SlowFirst } from "./test/support/slowFirst.ts"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    // Many tests wait for processes and time-outs: on two cores four files at once still leave room.
    maxWorkers: 4,
    // No test changes what others import; loading it all again for each file takes half a second of processor.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // Reached on failure only: a machine may be busy with other things.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
