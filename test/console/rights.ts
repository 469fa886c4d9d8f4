import { randomBytes } from "node:crypto"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { connect, form } from "../../packages/client/src/promise.ts"
import { packagePath } from "../../src/drivers/Package.ts"
import { temporary } from "../support/process-gateway.ts"
import { files } from "./jobs.ts"
import { password } from "./login.ts"
import { ended, endless, orders, save, start, tenant } from "./runs.ts"

export const roles = ["viewer", "operator", "developer", "admin", "owner"] as const
/** A role for the tenant; `owner` is an admin of every tenant. */
export type Role = (typeof roles)[number]

const names: ReadonlyArray<string> = roles

/** The roles of docs/security.md. The gateway's tests compare that table with the gateway. */
const neededRoles: ReadonlyMap<string, string> = new Map(
  [...readFileSync(packagePath("docs/security.md"), "utf8").matchAll(/^\| `([A-Z]+ \/v1\/\S+)` \| `(\w+)` \|$/gm)].map(
    ([, request = "", role = ""]) => [request, role] as const
  )
)

/** Whether the gateway lets a role do this, such as `POST keys`. */
export const may = (role: Role, request: string): boolean => {
  const isOverall = request.includes(" platform/")
  const needed = neededRoles.get(request.replace(" ", isOverall ? " /v1/" : " /v1/{tenant}/"))
  const rank = names.indexOf(needed ?? "")
  assert.isAtLeast(rank, 0, `docs/security.md has no role for ${request}`)
  return isOverall ? role === "owner" : roles.indexOf(role) >= rank
}

/** A configuration with changeable channels, and a key for secrets. */
export const configuration = Effect.map(temporary, (folder) => {
  const conf = join(folder, "conf")
  cpSync(packagePath("examples/conf"), conf, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    const file = join(conf, "tenants", tenant, path)
    mkdirSync(join(file, ".."), { recursive: true })
    writeFileSync(file, text)
  }
  const keys = join(folder, "secret-keys")
  writeFileSync(keys, `one:${randomBytes(32).toString("base64")}\n`, { mode: 0o600 })
  return { FLOW_CONF: conf, FLOW_SECRETS_KEY_FILE: keys }
})

const indexed = `
name: Indexed
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [ { id: "1", a: 1 } ], count: 1 }, publish: [ { stream: out } ] }
  - { type: file_output, settings: { path: out/one.ndjson }, subscribe: [ { component: generator_input, stream: out } ] }
  - { type: search_output, settings: { index: mytenant-things, id_field: id }, subscribe: [ { component: generator_input, stream: out } ] }
`

/** The objects that {@link prepare} has created whose names differ each time. */
export interface Given {
  readonly flowline: string
  readonly ended: string
  readonly live: string
  readonly endless: string
}

/** Creates one of each object that the console shows. */
export const prepare = async (url: string): Promise<Given> => {
  const headers = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString("base64")}` }
  const api = connect(url, { headers })
  const params = { tenant }
  const send = async (method: string, path: string, body: FormData | object) => {
    const isForm = body instanceof FormData
    const answer = await fetch(`${url}/v1/${tenant}/${path}`, {
      method,
      headers: isForm ? headers : { ...headers, "content-type": "application/json" },
      body: isForm ? body : JSON.stringify(body)
    })
    assert.isTrue(answer.ok, `${path}: ${await answer.clone().text()}`)
  }
  const flowline = await save(api, orders)
  const run = await start(api, flowline)
  await ended(api, flowline, run)
  await send("POST", `flowline/save?id=${flowline}`, form({ file: [`${orders}# second\n`, "f.yaml"] }))
  const other = await save(api, endless)
  const live = await start(api, other)
  const documents = await save(api, indexed)
  await ended(api, documents, await start(api, documents))
  await send("PUT", "schedules/often", { flowline, trigger: { every: "30d" } })
  await send("PUT", "schedules/rests", { flowline, trigger: { every: "30d" } })
  await send("POST", "schedules/rests/pause", {})
  await send("PUT", "schedules/pushed", { flowline, trigger: { webhook: {} } })
  for (const version of [1, 2]) {
    const manifest = `{group: org.rights, artifact: thing, version: ${version}, type: FILE}`
    await send(
      "PUT",
      "resources/upload",
      form({ manifest: [manifest, "manifest.yaml"], input: ["a,b\n1,2\n", "t.csv"] })
    )
  }
  await api.registry.create({ params, payload: form({ path: "rights/one.txt", file: ["text", "one.txt"] }) })
  await send("POST", "keys", { name: "nightly", role: "viewer" })
  await send("PUT", "secrets/TOKEN", { value: "correct horse" })
  return { flowline, ended: run, live, endless: other }
}
