import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core"
import { oas } from "@stoplight/spectral-rulesets"
import { description } from "../src/Description.ts"
import { packagePath } from "../src/drivers/Package.ts"

// Holds the OpenAPI document to the recommended rules of Redocly and Spectral. Prints only what they find.

/** A problem as a line. */
type Found = ReadonlyArray<string>

interface RedoclyProblem {
  readonly ruleId: string
  readonly message: string
  readonly location: ReadonlyArray<{ readonly pointer?: string }>
}

/** Neither statistics nor questions about newer versions leave this machine. */
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }

/** The rules and the one exception stand in redocly.yaml. */
const redocly = async (text: string): Promise<Found> => {
  const folder = mkdtempSync(join(tmpdir(), "flow-openapi-"))
  try {
    const file = join(folder, "openapi.json")
    writeFileSync(file, text)
    const cli = packagePath("node_modules/@redocly/cli/bin/cli.js")
    const args = [cli, "lint", file, "--format=json", `--config=${packagePath("redocly.yaml")}`]
    const options = { env, maxBuffer: 64 * 1024 * 1024 }
    // It fails when it finds errors, and then its output has them.
    const { stdout } = await promisify(execFile)(process.execPath, args, options).catch(
      (failure: { readonly stdout: string; readonly message: string }) => {
        if (failure.stdout === "") throw failure
        return failure
      }
    )
    const { problems } = JSON.parse(stdout) as { readonly problems: ReadonlyArray<RedoclyProblem> }
    return problems.map(({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer}: ${message}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** All recommended rules, without exception. */
const spectral = async (text: string): Promise<Found> => {
  const linter = new spectralCore.Spectral()
  // The two packages declare the type of a ruleset differently.
  linter.setRuleset({ extends: [oas as RulesetDefinition] })
  const results = await linter.run(JSON.parse(text) as Record<string, unknown>)
  return results.map(({ code, message, path }) => `spectral ${code} ${path.join("/")}: ${message}`)
}

const text = JSON.stringify(description())
const found = (await Promise.all([redocly(text), spectral(text)])).flat()
for (const line of found) console.error(line)
process.exitCode = found.length === 0 ? 0 : 1
