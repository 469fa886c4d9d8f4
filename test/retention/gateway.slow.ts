import { expect, it, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as Retention from "../../src/services/retention/Retention.ts"
import { parseRule } from "../../src/services/shared/settings/RetentionRules.ts"
import { ask, form, tenant } from "../resources/support.ts"
import { ended, flowlineForm, gateway, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { generator } from "../support/runs.ts"

const base = `/v1/${tenant}`

const runOnce = (text: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(text) })
  )

onBoth("an ended execution", (it) => {
  it.effect("can be deleted, one that runs cannot", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* runOnce(generator(2, 1000))
      const flowlineId = id.slice(0, 20)
      yield* ended(tenant, flowlineId, id)
      const running = yield* runOnce(generator(undefined, 5))
      const refused = yield* Effect.flip(client.executions.remove({ params: { tenant, id: running.id } }))
      expect(refused).toMatchObject({ status: 409 })
      const elsewhere = yield* Effect.flip(client.executions.remove({ params: { tenant: "othertenant", id } }))
      expect(elsewhere).toMatchObject({ status: 404 })
      const late = yield* raw(`${base}/flowline/${flowlineId}/executions/${id}`, { method: "DELETE" })
      expect([late.status, yield* Effect.promise(() => late.text())]).toEqual([
        409,
        expect.stringContaining(`DELETE ${base}/flowline/executions/${id}`)
      ])
      yield* client.executions.remove({ params: { tenant, id } })
      for (const path of [`executions/${id}/events`, `executions/${id}/output`, `${flowlineId}/executions/${id}`]) {
        expect([path, (yield* raw(`${base}/flowline/${path}`)).status]).toEqual([path, 404])
      }
      const again = yield* Effect.flip(client.executions.remove({ params: { tenant, id } }))
      expect(again).toMatchObject({ status: 404 })
      yield* client.executions.cancel({
        params: { tenant, flowlineId: running.id.slice(0, 20), executionId: running.id }
      })
      yield* ended(tenant, running.id.slice(0, 20), running.id)
    })
  )
})

onBoth("a registry file", (it) => {
  it.effect("can be deleted, one version or all", () =>
    Effect.gen(function* () {
      const put = (path: string, bytes: string) =>
        ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes }, path }) })
      const remove = (path: string) => ask(`${base}/registry/delete/${path}`, { method: "DELETE" })
      const versionOf = (path: string) =>
        Effect.map(ask(`${base}/registry/metadata/${path}`), ({ json }) => (json as { version?: number }).version)
      for (const bytes of ["1", "2", "3"]) yield* put("d/e/f.txt", bytes)
      expect((yield* remove("d/e/f.txt?versions=3")).status).toBe(400)
      expect((yield* remove("d/e/f.txt?version=3")).status).toBe(204)
      expect(yield* versionOf("d/e/f.txt")).toBe(2)
      const list = (yield* ask(`${base}/registry`)).json as ReadonlyArray<{ name: string; version: number }>
      expect(list.filter(({ name }) => name === "d/e/f.txt")).toMatchObject([{ version: 2 }])
      expect((yield* remove("d/e/f.txt?version=1")).status).toBe(204)
      expect((yield* ask(`${base}/registry/download/d/e/f.txt`)).text).toBe("2")
      expect((yield* remove("d/e/f.txt?version=1")).status).toBe(404)
      expect((yield* remove("d/e")).status).toBe(404)
      yield* put("d/other.txt", "x")
      expect((yield* remove("d/e/f.txt")).status).toBe(204)
      expect((yield* ask(`${base}/registry/download/d/e/f.txt`)).status).toBe(404)
      // The folder was removed with its last file; its parent has another file.
      expect([(yield* put("d/e", "a file")).status, (yield* put("d", "a file")).status]).toEqual([200, 500])
    })
  )
})

const retention = {
  mode: "on",
  executions: { number: 2 },
  archives: { number: 1 },
  versions: { number: 1 },
  documents: {},
  audit: {}
} as const

layer(Layer.provideMerge(Retention.schedule("100 millis"), gateway({ retention })).pipe(Layer.orDie), {
  excludeTestServices: true
})("retention", (it) => {
  it.effect("keeps what the rules say of a gateway in use", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const ids: Array<string> = []
      for (let n = 0; n < 4; n++) {
        const { id } = yield* runOnce(generator(n + 1, 1000))
        ids.push(id)
        yield* until(client.executions.list({ params: { tenant }, query: {} }), (all) =>
          all.some((one) => one.id === id && one.event?.endsWith("end") === true)
        )
      }
      const kept = yield* until(client.executions.list({ params: { tenant }, query: {} }), ({ length }) => length === 2)
      expect(kept.map(({ id }) => id)).toEqual(ids.slice(2))
      for (const bytes of ["one", "two", "three"]) {
        yield* ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes }, path: "kept.txt" }) })
      }
      yield* until(ask(`${base}/registry/download/kept.txt?version=2`), ({ status }) => status === 404)
      expect((yield* ask(`${base}/registry/download/kept.txt`)).text).toBe("three")
    })
  )
})

it("rules are read, and a wrong one is told", () => {
  const read = (text: string) => Result.merge(parseRule(text, ["age", "number", "bytes"]))
  expect(read("age=90d, number=5,bytes=2GiB")).toEqual({ age: 7_776_000_000, number: 5, bytes: 2 ** 31 })
  expect(read("all")).toEqual({})
  expect(read("age=90")).toContain("age=90 is invalid; expected 90d")
  expect(read("number=0")).toContain("number=0 is invalid")
  expect(read("number=1,number=2")).toBe("number is given twice")
  expect(read("size=3")).toContain('"size=3" is not a limit; expected age=…,number=…,bytes=…, or all')
  expect(Result.merge(parseRule("bytes=1", ["age"]))).toContain("expected age=…, or all")
})
