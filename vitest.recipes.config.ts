import { defineConfig } from "vitest/config"

/**
 * The recipes of the documents, with real processes in namespaces of their own. They are no part of `npm test`, as they
 * need root and programs of Debian; `test/recipes/run` starts them.
 */
export default defineConfig({
  test: {
    include: ["test/recipes/*.recipe.ts"],
    setupFiles: ["test/support/bundled.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    // Each takes published ports and the name of the bridge for itself.
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
