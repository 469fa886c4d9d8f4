import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { SlowFirst } from "./test/support/slowFirst.ts"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    setupFiles: ["test/support/bundled.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    // Many tests wait for processes and time-outs: with two files for each core hardly one is idle. Three were no faster.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    // No test changes what others import; loading it all again for each file takes half a second of processor.
    isolate: false,
    // A larger young generation, in MiB: V8 takes a twentieth less processor time.
    execArgv: ["--max-semi-space-size=32"],
    sequence: { sequencer: SlowFirst },
    // Only what hangs takes so long: a busy machine is many times slower, and waits within tests end earlier.
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
