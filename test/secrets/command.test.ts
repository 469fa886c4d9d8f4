import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Redacted, Result } from "effect"
import { expect, it } from "vitest"
import { packagePath } from "../../src/drivers/Package.ts"
import { parseKeyFile } from "../../src/layers/secrets/KeyFile.ts"

it("flow-gateway new-secrets-key prints a new line for the file of keys", async () => {
  const print = () => promisify(execFile)(process.execPath, [packagePath("src/command.ts"), "new-secrets-key"])
  const lines = (await Promise.all([print(), print()])).map(({ stdout }) => stdout)
  const keys = Result.getOrThrow(parseKeyFile(lines.join("")))
  expect(keys.map(({ id }) => id)).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d-[0-9a-f]{6}$/),
    expect.stringMatching(/^\d{4}-/)
  ])
  expect(new Set(keys.map(({ bytes }) => Buffer.from(Redacted.value(bytes)).toString("hex"))).size).toBe(2)
})
