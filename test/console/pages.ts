import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { connect } from "../../packages/client/src/promise.ts"
import { temporary } from "../support/process-gateway.ts"
import { Console } from "./support.ts"

export const tenant = "mytenant"

/** A folder of the tenant's configuration with these files. */
const configuration = (files: Readonly<Record<string, string>>) =>
  Effect.map(temporary, (root) => {
    for (const [path, text] of Object.entries({ "channels/.keep": "", ...files })) {
      const file = join(root, "tenants", tenant, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    return root
  })

/** A browser, and a gateway with a writable configuration. */
export const consoleOf = (
  files: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, string>> = {}
) => Console.with(Effect.map(configuration(files), (folder) => ({ FLOW_CONF: folder, ...variables })))

export const clientOf = (url: string) => connect(url)
