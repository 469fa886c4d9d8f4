import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
