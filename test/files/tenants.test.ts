import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fileAccess } from "../limits/access.ts"
import { ended, flowlineForm, gatewayOn, raw, TestGateway } from "../support/gateway.ts"

const machine = mkdtempSync(join(tmpdir(), "flow-roots-"))
afterAll(() => rmSync(machine, { recursive: true, force: true }))
const folder = (name: string) => {
  mkdirSync(join(machine, name))
  writeFileSync(join(machine, name, "app.log"), `of ${name}\n`)
  return join(machine, name)
}
const general = { logs: { path: folder("general"), writable: false } }
const [own, out] = [folder("own"), folder("out")]

const access = fileAccess()
const flowline = `
runtime: stream
dag:
  - { type: file_input, settings: { root: logs, path: app.log }, publish: [ { stream: out } ] }
  - { type: show, settings: { format: json }, subscribe: [ { component: file_input, stream: out } ] }
`

layer(gatewayOn(access.layer, { roots: general }), { excludeTestServices: true })("roots of tenants", (it) => {
  const rootsOf = (tenant: string) =>
    Effect.flatMap(TestGateway, ({ client }) =>
      Effect.map(client.files.roots({ params: { tenant } }), (roots) => roots.map(({ name }) => name))
    )
  const save = (tenant: string) =>
    Effect.flatMap(TestGateway, ({ client }) =>
      client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(flowline) })
    )
  const run = Effect.fnUntraced(function* (tenant: string, flowlineId: string) {
    const { client } = yield* TestGateway
    const { id } = yield* client.flowlines.execute({ params: { tenant, id: flowlineId }, query: {} })
    const { error } = yield* ended(tenant, flowlineId, id)
    const output = yield* raw(`/v1/${tenant}/flowline/executions/${id}/output`, { headers: { accept: "text/plain" } })
    return error ?? JSON.parse(yield* Effect.promise(() => output.text())).message
  })

  it.effect("are those of the setting until the access file says otherwise, for each run that starts", () =>
    Effect.gen(function* () {
      yield* access.changeFile({ tenants: { mytenant: {}, othertenant: {} } })
      const mine = yield* save("mytenant")
      const other = yield* save("othertenant")
      expect([yield* run("mytenant", mine.id), yield* run("othertenant", other.id)]).toEqual([
        "of general",
        "of general"
      ])

      const roots = { logs: `${own}:ro`, out: `${out}:rw` }
      yield* access.changeFile({ tenants: { mytenant: { roots }, othertenant: { roots: { logs: null } } } })
      expect(yield* rootsOf("mytenant")).toEqual(["conf", "data", "logs", "out"])
      expect(yield* rootsOf("othertenant")).toEqual(["conf", "data"])
      expect(yield* run("mytenant", mine.id)).toBe("of own")
      expect(yield* run("othertenant", other.id)).toBe(
        'file_input: There is no root "logs". The roots are conf (read-only), data (read and write)'
      )
      expect((yield* Effect.flip(save("othertenant")))._tag).toBe("BadRequest")
      // The files of a root are served only to its tenant, and only principals who may delete can delete them.
      const status = (method: string, tenant: string, key: string) =>
        Effect.map(
          raw(`/v1/${tenant}/files/app.log?root=out`, { method, headers: { "x-api-key": key } }),
          (answer) => answer.status
        )
      expect(yield* status("GET", "mytenant", "viewer@mytenant")).toBe(200)
      expect(yield* status("GET", "othertenant", "admin@othertenant")).toBe(400)
      expect(yield* status("DELETE", "mytenant", "viewer@mytenant")).toBe(403)
      expect(yield* status("DELETE", "mytenant", "developer@mytenant")).toBe(204)
    })
  )
})
