import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, layer } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { PositionScope, PositionStore } from "../../src/services/runs/PositionStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { flowlineForm, gateway, raw } from "../support/gateway.ts"

const conf = mkdtempSync(join(tmpdir(), "flow-follow-"))
for (const tenant of ["mytenant", "other"]) {
  mkdirSync(join(conf, "tenants", tenant), { recursive: true })
  writeFileSync(join(conf, "tenants", tenant, "a.log"), `first of ${tenant}\n`)
}
afterAll(() => rmSync(conf, { recursive: true, force: true }))

/** The members of the answers that are looked at. */
const Answer = Schema.Struct({
  id: Schema.String,
  state: Schema.optionalKey(Schema.String),
  lines: Schema.optionalKey(Schema.Array(Schema.Struct({ text: Schema.String })))
})

const file = `
runtime: stream
dag:
  - { type: file_input, settings: { path: a.log, follow: true }, publish: [ { stream: lines } ] }
  - { type: show, subscribe: [ { component: file_input, stream: lines } ] }
`

layer(gateway({ conf }), { excludeTestServices: true })("following through the gateway", (it) => {
  it.effect("keeps the tenants apart, and stores positions as long as the execution lasts", () =>
    Effect.gen(function* () {
      const positions = yield* PositionStore
      const json = (path: string, init?: RequestInit) =>
        Effect.flatMap(raw(path, init), (answer) =>
          Effect.promise(async () => Schema.decodeUnknownSync(Answer)(await answer.json()))
        )
      const runs: Array<readonly [tenant: string, flowline: string, execution: string]> = []
      for (const tenant of ["mytenant", "other"]) {
        const saved = yield* json(`/v1/${tenant}/flowline/save`, { method: "POST", body: flowlineForm(file) })
        const { id } = yield* json(`/v1/${tenant}/flowline/${saved.id}`, { method: "POST" })
        runs.push([tenant, saved.id, id])
        appendFileSync(join(conf, "tenants", tenant, "a.log"), `second of ${tenant}\n`)
      }
      const soon = { schedule: Schedule.spaced(50), times: 300 }
      for (const [tenant, flowline, id] of runs) {
        const path = `/v1/${tenant}/flowline/${flowline}/executions/${id}`
        const texts = Effect.filterOrFail(
          Effect.map(json(`/v1/${tenant}/flowline/executions/${id}/output`), ({ lines }) =>
            (lines ?? []).map(({ text }) => text)
          ),
          (lines) => lines.length === 2,
          () => "not yet" as const
        )
        const wanted = ["first", "second"].map((word) => JSON.stringify({ message: `${word} of ${tenant}` }))
        assert.deepStrictEqual(yield* Effect.retry(texts, soon), wanted)
        const offset = Effect.filterOrFail(
          positions.load(TenantId(tenant), PositionScope(id)),
          (kept) => kept["file_input"] !== undefined,
          () => "not yet" as const
        )
        assert.include(JSON.stringify(yield* Effect.retry(offset, soon)), '"path":"a.log"')
        yield* raw(path, { method: "DELETE" })
        const gone = Effect.filterOrFail(
          positions.load(TenantId(tenant), PositionScope(id)),
          (kept) => Object.keys(kept).length === 0,
          () => "not yet" as const
        )
        yield* Effect.retry(gone, soon)
        assert.strictEqual((yield* json(path)).state, "CANCELLED")
      }
    })
  )
})
