import { defineConfig } from "vitest/config"

/** The tests of the console, in Debian's Chromium. They are no part of `npm test`, as they need that program. */
export default defineConfig({
  test: {
    include: ["test/console/*.console.ts"],
    setupFiles: ["test/support/bundled.ts"],
    globalSetup: ["test/support/globalSetup.ts", "test/console/globalSetup.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
