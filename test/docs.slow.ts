import { execFile } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { pathWithTools } from "./support/commands/path.ts"
import { Documented, defaultAddress, expectAsSaid } from "./support/documented.ts"
import { fences, read, root } from "./support/documents.ts"
import { site, temporary } from "./support/process-gateway.ts"
import { takeTour } from "./support/tour.ts"

const run = promisify(execFile)
const readme = read("README.md")
const border = "=== end of snippet ==="

/** A folder in which the package of the client is installed, run from its sources. */
const installed = Effect.map(temporary, (folder) => {
  const modules = join(folder, "node_modules")
  mkdirSync(modules)
  for (const name of ["effect", "@types"]) symlinkSync(join(root, "node_modules", name), join(modules, name))
  const client = join(modules, "@flow-gateway/client")
  mkdirSync(client, { recursive: true })
  symlinkSync(join(root, "packages/client/src"), join(client, "src"))
  const exports = { ".": "./src/FlowGateway.ts", "./promise": "./src/promise.ts" }
  writeFileSync(join(client, "package.json"), JSON.stringify({ type: "module", exports }))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  return folder
})

layer(Documented.layer, { excludeTestServices: true })("the README", (it) => {
  it.effect("leads to roots.md, whose commands print what it says on a gateway that is started as it says", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const here = fences(read("docs/roots.md")).map(({ language, text }) => ({
        language,
        text: text.replaceAll("$HOME/flow-tour", folder)
      }))
      const [log, start] = here
      // A smaller log suffices.
      yield* Effect.promise(() => run("bash", ["-ec", log!.text.replace("2600000", "10000")]))
      const variables = { FLOW_ROOTS: /FLOW_ROOTS=(\S+)/.exec(start!.text)![1]! }
      const gateway = yield* Effect.flatMap(site({ variables }), (place) => Effect.promise(() => place.start()))
      const path = pathWithTools(yield* temporary)
      const steps = yield* Effect.promise(() => takeTour(here.slice(2), [defaultAddress, gateway.url], path))
      expect(steps.length).toBe(2)
      for (const step of steps) expectAsSaid(step)
    })
  )

  it.effect("has client code that compiles and runs", () =>
    Effect.gen(function* () {
      const { url } = yield* Documented
      const folder = yield* installed
      yield* Effect.promise(async () => {
        const snippets = [readme, read("docs/client.md")].map((page) =>
          fences(page)
            .filter(({ language }) => language === "ts")
            .map(({ text }) => text)
        )
        const files = snippets.flat().map((text, index) => {
          writeFileSync(join(folder, `snippet${index}.ts`), `${text}\nexport {}\n`)
          return `snippet${index}.ts`
        })
        writeFileSync(
          join(folder, "tsconfig.json"),
          JSON.stringify({ extends: join(root, "tsconfig.json"), include: [], files })
        )
        // Each additional checker would repeat the check of the common files.
        const compiled = run(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--checkers", "1"], {
          cwd: folder
        }).catch(({ stdout }: { stdout: string }) => expect(stdout).toBe(""))
        const env = { PATH: process.env["PATH"], GATEWAY: url }
        // One process for all, because loading Effect takes long. The list comes last, so that it contains an
        // execution.
        const inTurn = [...files.slice(1), files[0]]
        const all = join(folder, "all.ts")
        writeFileSync(all, inTurn.map((file) => `await import("./${file}")\nconsole.log("${border}")\n`).join(""))
        const { stdout } = await run(process.execPath, [all], { cwd: folder, env })
        await compiled
        const printed = stdout.split(`${border}\n`)
        expect(printed).toEqual([
          expect.stringMatching(/^SUCCEEDED \[[\s\S]*archive has [1-9]\d+ bytes\n$/),
          "no flowline nothing\n",
          "{ tenant: 'mytenant' }\n".repeat(3),
          "{ tenant: 'mytenant' }\n",
          expect.stringMatching(/^.*Brno.*\n.*Oslo.*\nSUCCEEDED\n$/),
          expect.stringMatching(/^.*1.*\ntrue\n404 \/problems\/not-found\n$/),
          expect.stringMatching(/^([\w-]{20}-\d{13} \w+\.application\.\w+\n)+$/),
          ""
        ])
      })
    })
  )
})
