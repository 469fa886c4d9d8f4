import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startEmbedded } from "../../src/layers/postgres/embedded/Embedded.ts"
import { temporaryCluster } from "../support/postgresServer.ts"

/** Whether the machine has none of the pages that the server is told to use. */
const hasNoHugePages =
  existsSync("/proc/meminfo") && /HugePages_Total:\s+0\b/.test(readFileSync("/proc/meminfo", "latin1"))

it.live.skipIf(!hasNoHugePages)("a machine without the memory for PostgreSQL is told so at once", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryCluster
    const failed = yield* Effect.flip(startEmbedded({ folder, settings: { huge_pages: "on" } }))
    expect(failed.message).toContain("shared memory")
    const log = readFileSync(join(folder, "postgres/server.log"), "utf8")
    expect(log.match(/FATAL: .*shared memory/g)).toHaveLength(1)
  })
)
