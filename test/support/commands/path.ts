import { spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const isThere = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined

/**
 * A `PATH` with the commands of the documents. Stand-ins for missing commands are put into `folder`; they support the
 * options that the documents use.
 */
export const pathWithTools = (folder: string, commands: ReadonlyArray<string> = ["curl", "unzip"]): string => {
  for (const command of commands) {
    if (process.env["FLOW_TEST_STAND_INS"] === undefined && isThere(command)) continue
    const program = fileURLToPath(new URL(`${command}.ts`, import.meta.url))
    writeFileSync(join(folder, command), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
    chmodSync(join(folder, command), 0o755)
  }
  return [folder, process.env["PATH"] ?? ""].join(delimiter)
}
