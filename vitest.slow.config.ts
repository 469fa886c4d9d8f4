import { defineConfig } from "vitest/config"

/**
 * Tests that take long: those that kill, freeze and cut off processes, those that measure how
 * time and memory grow, and laws that are tried many times.
 * They are no part of `npm test`; the gate runs them.
 */
export default defineConfig({
  test: {
    include: ["test/**/*.slow.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    setupFiles: ["test/support/bundled.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    maxWorkers: 2,
    isolate: false,
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
