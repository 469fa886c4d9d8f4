import { defineConfig } from "vitest/config"

/** The tests of the S3 blobs, against Ceph's radosgw. They are no part of `npm test`, as they need its programs. */
export default defineConfig({
  test: {
    include: ["test/s3/*.s3.ts"],
    setupFiles: ["test/support/bundled.ts"],
    globalSetup: ["test/support/globalSetup.ts", "test/s3/globalSetup.ts"],
    reporters: ["default", "./test/support/counts.ts"],
    // One after the other: some of them freeze the storage below all of them.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000
  }
})
