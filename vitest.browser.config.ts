import { defineConfig } from "vitest/config"

/** The tests of the pages, in Debian's Chromium. They are no part of `npm test`, as they need that program. */
export default defineConfig({
  test: {
    include: ["test/browser/*.browser.ts"],
    setupFiles: ["test/support/bundled.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
