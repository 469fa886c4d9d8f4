import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { JobStore } from "../../src/services/channels/JobStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { configuration } from "../support/conf.ts"
import { flowlineForm, gatewayOn, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { fileAccess } from "./access.ts"

const { layer: access, changeFile } = fileAccess()

const tenant = "mytenant"
const endless = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [tick], rate: 10 }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`

const withChannel = Layer.unwrap(
  Effect.map(configuration, ({ root, folderOf }) => {
    const folder = join(folderOf(tenant), "channels", "main")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "channel_structure.yaml"), "applications:\n  - { name: ticks, runtime: stream }\n")
    writeFileSync(join(folder, "ticks.yaml"), endless)
    return gatewayOn(access, { conf: root })
  })
)

const channel = Effect.flatMap(TestGateway, ({ client }) =>
  client.channels.status({ params: { tenant, channel: "main" } })
)
const become = (wanted: string) => until(channel, ({ status }) => status === wanted)

/** The audit's rows of an action. Those of the installation are under `platform`. */
const audited = (chain: string, action: string) =>
  Effect.flatMap(raw(`/v1/${chain}/audit?action=${action}`), (response) =>
    Effect.promise(async () => (await response.json()) as ReadonlyArray<AuditEntry>)
  )

const suspend = changeFile({ tenants: { mytenant: { suspended: true }, othertenant: {} } })
const lift = changeFile({ tenants: { mytenant: { suspended: false }, othertenant: {} } })

layer(withChannel, { excludeTestServices: true })("a suspended tenant", (it) => {
  it.effect("has no run, keeps what it wants and has, and goes on when the suspension is lifted", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* JobStore
      const body = flowlineForm(endless)
      const { id } = yield* client.flowlines.executeOnce({ params: { tenant }, payload: body })
      const params = { tenant, flowlineId: id.slice(0, id.lastIndexOf("-")), executionId: id }
      const state = Effect.map(client.executions.detail({ params }), (found) => found.state)
      yield* until(state, (now) => now === "RUNNING")
      yield* raw(`/v1/${tenant}/channels/main/start`, { method: "POST" })
      yield* become("ACTIVE")

      yield* suspend
      const stopped = yield* become("STOPPED")
      expect(stopped.jobs[0]).toMatchObject({ status: "STOPPED", desired: "ACTIVE", node: null })
      yield* until(state, (now) => now === "PENDING")
      const inUse = Effect.map(client.limits.limits({ params: { tenant } }), ({ suspended, limits }) => ({
        suspended,
        running: limits.filter(({ limit }) => limit.startsWith("running")).map(({ used }) => used)
      }))
      yield* until(inUse, ({ running }) => running.join() === "0,0")
      expect((yield* inUse).suspended).toBe(true)

      // What is old enough to be taken over by another gateway, or by this one after a restart, is left alone.
      yield* sql`update channel_jobs set since = now() - interval '1 hour'`
      expect(yield* jobs.unattended([TenantId(tenant)])).toEqual([])

      const refused = yield* raw(`/v1/${tenant}/flowline`, { method: "POST", body })
      expect(refused.status).toBe(403)
      expect(yield* Effect.promise(() => refused.json())).toMatchObject({
        type: "/problems/tenant-suspended",
        tenant,
        detail: 'The tenant "mytenant" is suspended: it can be read, but nothing is changed or started'
      })
      for (const [method, path] of [
        ["POST", "channels/main/start"],
        ["PUT", "resources/upload"],
        ["POST", "registry"],
        ["DELETE", "archives"],
        ["DELETE", `flowline/${params.flowlineId}/executions/${id}`]
      ]) {
        expect([path, (yield* raw(`/v1/${tenant}/${path}`, { method: method! })).status]).toEqual([path, 403])
      }
      for (const path of ["channels", "flowline/executions", "conf", "archives", "resources/list"]) {
        expect([path, (yield* raw(`/v1/${tenant}/${path}`)).status]).toEqual([path, 200])
      }
      const refusals = yield* until(audited(tenant, "archives.removeAll"), (rows) => rows.length > 0)
      expect(refusals).toMatchObject([{ outcome: "refused", status: 403, principal: "user:admin", tenant }])
      const hidden = yield* raw(`/v1/${tenant}/flowline`, {
        method: "POST",
        body,
        headers: { "x-api-key": "admin@othertenant" }
      })
      expect(hidden.status).toBe(404)
      expect((yield* raw("/v1/othertenant/flowline", { method: "POST", body: flowlineForm(endless) })).status).toBe(200)
      expect((yield* raw("/health/ready")).status).toBe(200)

      yield* lift
      yield* until(state, (now) => now === "RUNNING")
      yield* become("ACTIVE")
      const reloads = yield* until(audited("platform", "access.reload"), (rows) => rows.length === 2)
      const [suspended, lifted] = reloads
      expect(suspended).toMatchObject({ outcome: "done", principal: "gateway", tenant: null, target: "" })
      expect(new Set([suspended?.before, suspended?.after, lifted?.after]).size).toBe(3)
      expect(lifted?.before).toBe(suspended?.after)
      yield* client.executions.cancel({ params })
      yield* until(state, (now) => now === "CANCELLED")
      yield* raw(`/v1/${tenant}/channels/main/stop`, { method: "POST" })
    })
  )
})
