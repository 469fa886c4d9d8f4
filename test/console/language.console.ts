import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { bundleConsole } from "../../scripts/bundle-console.ts"
import { packagePath } from "../../src/drivers/Package.ts"

it("the console is built in another language from a file with its texts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "flow-console-"))
  try {
    const english = readFileSync(packagePath("packages/console/src/texts/en.ts"), "utf8")
    const texts = join(folder, "eo.ts")
    writeFileSync(
      texts,
      english.replace('skip: "Skip to content"', 'skip: "Salti al la enhavo"').replaceAll('"en"', '"eo"')
    )
    await bundleConsole(join(folder, "built"), texts)
    assert.include(readFileSync(join(folder, "built", "index.html"), "utf8"), '<html lang="eo">')
    const assets = join(folder, "built", "assets")
    const scripts = readdirSync(assets)
      .filter((name) => name.endsWith(".js"))
      .map((name) => readFileSync(join(assets, name), "utf8"))
      .join("\n")
    assert.include(scripts, "Salti al la enhavo")
    assert.notInclude(scripts, "Skip to content")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
