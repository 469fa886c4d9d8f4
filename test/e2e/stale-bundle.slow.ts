import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundles } from "../../src/drivers/Programs.ts"
import { read, root } from "../support/documents.ts"
import { temporary } from "../support/process-gateway.ts"

// Root may write everywhere.
it.live.skipIf(process.getuid?.() === 0)("an older bundle that its user may not replace is not started", () =>
  Effect.gen(function* () {
    const folder = yield* temporary
    for (const name of ["package.json", "package-lock.json", "bin", "scripts", "src", "migrations"]) {
      cpSync(join(root, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    const programs = join(folder, bundles.folder)
    mkdirSync(join(programs, "old"), { recursive: true })
    for (const name of ["main.js", "command.js"]) writeFileSync(join(programs, "old", name), 'console.log("old")')
    writeFileSync(join(folder, bundles.current), "old")
    chmodSync(programs, 0o555)
    yield* Effect.addFinalizer(() => Effect.sync(() => chmodSync(programs, 0o755)))
    const program = join(folder, "bin/flow-gateway.js")
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, "--version"], { encoding: "utf8" })
    expect(stdout).toContain(JSON.parse(read("package.json")).version)
    expect(stderr).toMatch(/^flow-gateway runs from its sources, .*\n$/)
    expect(status).toBe(0)
  })
)
