import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { ended, flowlineForm, gateway, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const tenant = "mytenant"
const flowline = `
runtime: stream
dag:
  - { type: file_input, settings: { path: a.log, follow: true }, publish: [ { stream: out } ] }
  - { type: enrich, component: table, settings: { field: message, path: t.csv, key: k, reload: 20ms },
      subscribe: [ { component: file_input, stream: out } ], publish: [ { stream: out } ] }
  - { type: show, settings: { limit: 1 }, subscribe: [ { component: table, stream: out } ] }
`

class Folder extends Context.Service<Folder, { readonly folder: string }>()("test/executions/Folder") {}

const following = Layer.unwrap(
  Effect.map(configuration, ({ root, folderOf }) => {
    const folder = folderOf(tenant)
    mkdirSync(join(folder, "channels/log"), { recursive: true })
    writeFileSync(join(folder, "a.log"), "")
    writeFileSync(join(folder, "t.csv"), "k,v\na,1\n")
    writeFileSync(join(folder, "channels/log/channel_structure.yaml"), "jobs:\n  - { name: looks, runtime: stream }\n")
    writeFileSync(join(folder, "channels/log/looks.yaml"), flowline)
    return Layer.merge(gateway({ conf: root }), Layer.succeed(Folder, { folder }))
  })
).pipe(Layer.orDie)

const metrics = Effect.flatMap(raw("/metrics"), (response) => Effect.promise(() => response.text()))

layer(following, { excludeTestServices: true })("a table that is read again", (it) => {
  it.effect("is counted in details, statuses and metrics, and so is one that cannot be used", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { folder } = yield* Folder
      const { id } = yield* client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(flowline) })
      const flowlineId = id.slice(0, 20)
      yield* raw(`/v1/${tenant}/channels/log/start`, { method: "POST" })
      const detail = client.executions.detail({ params: { tenant, flowlineId, executionId: id } })
      const status = client.channels.status({ params: { tenant, channel: "log" } })
      /** Lines come until both have counted. */
      const counted = (name: "recordsOut" | "reloads" | "failedReloads") =>
        until(
          Effect.all([Effect.sync(() => appendFileSync(join(folder, "a.log"), "a\n")), detail, status]),
          ([, execution, { jobs }]) =>
            [execution.nodes, jobs[0]?.nodes].every((nodes) =>
              nodes?.some((node) => node.component === "table" && (node[name] ?? 0) > 0)
            )
        )
      // Both have read the table.
      yield* counted("recordsOut")
      const change = (table: string) => {
        writeFileSync(join(folder, "t.new"), table)
        renameSync(join(folder, "t.new"), join(folder, "t.csv"))
      }
      change("k,v\na,2\n")
      yield* counted("reloads")
      change("no,such,columns\na,2,3\n")
      yield* counted("failedReloads")
      yield* raw(`/v1/${tenant}/flowline/${flowlineId}/executions/${id}`, { method: "DELETE" })
      yield* ended(tenant, flowlineId, id)
      const text = yield* until(metrics, (found) => found.includes("flow_execution_reloads_total"))
      for (const outcome of ["read", "failed"]) {
        assert.match(text, new RegExp(`flow_execution_reloads_total\\{[^}]*outcome="${outcome}"[^}]*\\} 1`))
        assert.match(text, new RegExp(`flow_job_reloads\\{[^}]*job="looks"[^}]*outcome="${outcome}"[^}]*\\} 1`))
      }
      const reasons = JSON.stringify(yield* status)
      assert.include(reasons, "table could not use a changed table, and kept the former one")
    })
  )
})
