import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    // Many tests wait for processes and time-outs: on two cores three files at once still leave room.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
