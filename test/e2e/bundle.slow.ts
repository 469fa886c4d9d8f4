import { execFileSync } from "node:child_process"
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { processName } from "../../src/drivers/ProcessName.ts"
import { root } from "../support/documents.ts"
import { temporary } from "../support/process-gateway.ts"

it.live("bundling removes what bundlers and tests that were killed have left, and nothing of those that run", () =>
  Effect.gen(function* () {
    const folder = yield* temporary
    for (const name of ["package.json", "package-lock.json", "scripts", "src", "migrations"])
      cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    const programs = join(folder, "dist/programs")
    // No process has an id like this.
    const dead = processName.replace(/^\d+/, "99999999")
    for (const name of [`making-${dead}`, `tests-${dead}`, `making-${processName}`, "0123456789abcdef"])
      mkdirSync(join(programs, name), { recursive: true })
    writeFileSync(join(programs, `current-${dead}`), "")
    appendFileSync(join(folder, "src/main.ts"), "// changed\n")
    execFileSync(process.execPath, [join(folder, "scripts/bundle.ts")], { cwd: folder })
    const bundle = readFileSync(join(programs, "current"), "utf8")
    expect(readdirSync(programs).sort()).toEqual(
      [bundle, "0123456789abcdef", "current", `making-${processName}`].sort()
    )
  })
)
