import { defineConfig } from "vitest/config"
import { SlowFirst } from "./test/support/slowFirst.ts"

/** The tests of the console, in Debian's Chromium. They are no part of `npm test`, as they need that program. */
export default defineConfig({
  test: {
    include: ["test/console/*.console.ts"],
    setupFiles: ["test/support/bundled.ts"],
    globalSetup: ["test/support/globalSetup.ts", "test/console/globalSetup.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    // More than the cores of a small machine: browsers and gateways wait for each other.
    maxWorkers: 3,
    // No test changes what others import; loading it all again for each file takes a second of processor.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
