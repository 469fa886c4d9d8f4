import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { build, form, tenant, upload } from "../resources/support.ts"
import { archiving } from "../support/archiving.ts"
import { ended, flowlineForm, gateway, memoryGateway, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const params = { tenant }
const longAgo = "Sat, 01 Jan 2000 00:00:00 GMT"

const hello = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [hello], count: 1 }, publish: [ { stream: greetings } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: greetings } ] }
`

const call = (method: string, path: string, headers: Record<string, string> = {}, body?: FormData) =>
  Effect.map(raw(`/v1/${tenant}/${path}`, { method, headers, ...(body === undefined ? {} : { body }) }), (answer) => ({
    status: answer.status,
    etag: answer.headers.get("etag") ?? ""
  }))

const statuses = (method: string, path: string, conditions: ReadonlyArray<Record<string, string>>) =>
  Effect.map(
    Effect.forEach(conditions, (headers) => call(method, path, headers)),
    (answers) => answers.map(({ status }) => status)
  )

onBoth("a request whose conditions do not hold does nothing", (it) => {
  it.effect("to a flowline: it is neither read, nor run, nor deleted", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* client.flowlines.save({ params, query: {}, payload: flowlineForm(hello) })
      const path = `flowline/${id}`
      const first = (yield* call("GET", path)).etag
      yield* client.flowlines.save({ params, query: { id }, payload: flowlineForm(hello) })
      const { etag } = yield* call("GET", path)
      const fails = [{ "if-match": first }, { "if-match": `W/${etag}` }, { "if-match": '"x"' }]
      expect(yield* statuses("GET", path, fails)).toEqual([412, 412, 412])
      expect(yield* statuses("GET", `${path}?version=1`, [{ "if-match": first }])).toEqual([200])
      const refused = [
        ...fails,
        { "if-none-match": etag },
        { "if-none-match": "*" },
        { "if-unmodified-since": longAgo }
      ]
      expect(yield* statuses("POST", path, refused)).toEqual(refused.map(() => 412))
      expect(yield* statuses("DELETE", path, refused)).toEqual(refused.map(() => 412))
      expect(yield* client.executions.listOf({ params: { ...params, id }, query: {} })).toEqual([])
      expect(yield* statuses("GET", path, [{ "if-match": "*" }, { "if-match": `${first}, ${etag}` }])).toEqual([
        200, 200
      ])
      const key = { "if-match": etag, "idempotency-key": crypto.randomUUID() }
      expect(yield* statuses("POST", path, [key])).toEqual([200])
      yield* client.flowlines.save({ params, query: { id }, payload: flowlineForm(hello) })
      // A retry gets its first answer, whatever has become of the state since.
      expect(yield* statuses("POST", path, [key])).toEqual([200])
      expect(yield* statuses("DELETE", path, [{ "if-match": etag }])).toEqual([412])
      expect(yield* statuses("DELETE", path, [{ "if-match": (yield* call("GET", path)).etag }])).toEqual([201])
      expect(yield* statuses("DELETE", path, [{ "if-match": "*" }, { "if-match": etag }])).toEqual([404, 404])
    })
  )

  it.effect("to a file of the registry, nor to its versions", () =>
    Effect.gen(function* () {
      const file = (text: string) => form({ file: { bytes: text }, path: "conditions/a.txt" })
      yield* call("POST", "registry", {}, file("first"))
      const first = (yield* call("GET", "registry/metadata/conditions/a.txt")).etag
      yield* call("POST", "registry", {}, file("second"))
      const second = (yield* call("GET", "registry/metadata/conditions/a.txt")).etag
      const contrary = { "if-match": "*", "if-none-match": "*" }
      for (const headers of [contrary, { ...contrary, "if-match": second }, { ...contrary, "if-match": '"x"' }]) {
        expect((yield* call("POST", "registry", headers, file("third"))).status).toBe(412)
        const other = form({ file: { bytes: "third" }, path: "conditions/new.txt" })
        expect((yield* call("POST", "registry", headers, other)).status).toBe(412)
      }
      const path = "registry/delete/conditions/a.txt"
      const refused = [{ "if-match": first }, { "if-none-match": second }, { "if-unmodified-since": longAgo }]
      expect(yield* statuses("GET", "registry/metadata/conditions/a.txt", [{ "if-match": first }])).toEqual([412])
      expect(yield* statuses("DELETE", path, refused)).toEqual([412, 412, 412])
      expect(yield* statuses("DELETE", `${path}?version=1`, [{ "if-match": second }])).toEqual([412])
      expect(yield* statuses("DELETE", `${path}?version=1`, [{ "if-match": first }])).toEqual([204])
      expect(yield* statuses("DELETE", path, [{ "if-match": second }, { "if-match": second }])).toEqual([204, 404])
    })
  )

  it.effect("to what is read, a list or anything else: it is not sent", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* client.flowlines.save({ params, query: {}, payload: flowlineForm(hello) })
      for (const path of ["flowline", "flowline?limit=1", "resources/types", "flowline/scan", "channels", "conf"]) {
        const { etag } = yield* call("GET", path)
        const coded = (yield* call("GET", path, { "accept-encoding": "gzip" })).etag
        const met = [{ "if-match": etag }, { "if-match": `"x", ${etag}` }, { "if-match": "*" }, { "if-match": coded }]
        const fails = [{ "if-match": '"x"' }, { "if-match": `W/${etag}` }, { "if-match": '"x"', "if-none-match": etag }]
        for (const method of ["GET", "HEAD"]) {
          expect([path, yield* statuses(method, path, met)]).toEqual([path, [200, 200, 200, 200]])
          expect([path, yield* statuses(method, path, fails)]).toEqual([path, [412, 412, 412]])
        }
        expect(yield* statuses("GET", path, [{ "if-match": etag, "if-none-match": etag }])).toEqual([304])
      }
      expect(yield* statuses("GET", "flowline/none", [{ "if-match": '"x"' }])).toEqual([404])
    })
  )

  it.effect("to what has no tag, when one is named", () =>
    Effect.gen(function* () {
      yield* upload({ artifact: "conditions" }, "a", "a.txt")
      const artifact = "group=org.example&artifact=conditions"
      const stored = "resources/stored/org/example/conditions/a.txt"
      const metadata = yield* call("GET", `resources/metadata?${artifact}`)
      const reads = [{ "if-match": '"x"' }, { "if-match": metadata.etag }]
      expect(yield* statuses("GET", `resources/metadata?${artifact}`, reads)).toEqual([412, 200])
      expect(yield* statuses("DELETE", stored, [{ "if-match": '"x"' }, { "if-match": "*" }])).toEqual([412, 200])
      const copy = form({ destination: "conditions/copy.txt" })
      expect(
        (yield* call("PUT", `resources/copy/org/example/conditions/a.txt`, { "if-match": '"x"' }, copy)).status
      ).toBe(412)
      const again = (version: string) => build({ artifact: "conditions", version }, "a", "a.txt")
      expect((yield* call("PUT", "resources/upload", { "if-match": metadata.etag }, again("2"))).status).toBe(412)
      expect((yield* call("PUT", "resources/upload", { "if-match": "*" }, again("2"))).status).toBe(201)
      const deletions = [{ "if-match": '"x"' }, { "if-match": "*" }]
      expect(yield* statuses("DELETE", `resources/delete?${artifact}`, deletions)).toEqual([412, 200])
    })
  )
})

layer(memoryGateway(), { excludeTestServices: true })("a secret, which has no tag,", (it) => {
  it.effect("is made and deleted only if the conditions of the request hold", () =>
    Effect.gen(function* () {
      const put = (value: string, headers: Record<string, string>) =>
        Effect.map(
          raw(`/v1/${tenant}/secrets/CONDITIONS`, {
            method: "PUT",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify({ value })
          }),
          ({ status }) => status
        )
      const onlyNew = { "if-none-match": "*" }
      const onlyOld = { "if-match": "*" }
      const named = { "if-match": '"x"' }
      expect(yield* Effect.forEach([onlyOld, named], (headers) => put("a", headers))).toEqual([412, 412])
      expect(yield* statuses("DELETE", "secrets/CONDITIONS", [onlyNew, named])).toEqual([404, 404])
      expect(yield* put("a", onlyNew)).toBe(204)
      const refused = [onlyNew, named, { ...onlyNew, ...onlyOld }]
      expect(yield* Effect.forEach(refused, (headers) => put("a", headers))).toEqual([412, 412, 412])
      expect(yield* put("", named)).toBe(400)
      expect(yield* put("b", onlyOld)).toBe(204)
      expect(yield* put("b", { "if-none-match": '"x"' })).toBe(204)
      expect(yield* statuses("DELETE", "secrets/CONDITIONS", refused)).toEqual([412, 412, 412])
      expect(yield* statuses("DELETE", "secrets/CONDITIONS", [onlyOld, onlyOld])).toEqual([204, 404])
    })
  )
})

layer(gateway(), { excludeTestServices: true })("a request whose conditions do not hold", (it) => {
  it.effect("does nothing to a schedule", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* client.flowlines.save({ params, query: {}, payload: flowlineForm(hello) })
      const path = "schedules/conditions"
      const put = (every: string, headers: Record<string, string> = {}) =>
        Effect.map(
          raw(`/v1/${tenant}/${path}`, {
            method: "PUT",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify({ flowline: id, trigger: { every } })
          }),
          ({ status }) => status
        )
      expect(yield* put("5h", { "if-match": "*" })).toBe(412)
      expect(yield* put("5h", { "if-match": '"x"' })).toBe(412)
      expect(yield* put("5h", { "if-none-match": "*" })).toBe(201)
      expect(yield* put("6h", { "if-none-match": "*" })).toBe(412)
      const first = (yield* call("GET", path)).etag
      expect(yield* put("6h", { "if-match": first })).toBe(200)
      const { etag } = yield* call("GET", path)
      const refused = [
        { "if-match": first },
        { "if-match": `W/${etag}` },
        { "if-none-match": etag },
        { "if-unmodified-since": longAgo }
      ]
      for (const headers of refused) expect(yield* put("7h", headers as Record<string, string>)).toBe(412)
      expect(yield* statuses("DELETE", path, refused)).toEqual([412, 412, 412, 412])
      expect(yield* statuses("GET", path, [{ "if-match": first }, { "if-match": etag }])).toEqual([412, 200])
      expect((yield* call("GET", path)).etag).toBe(etag)
      // Of two that have read the same, one may change it.
      const both = yield* Effect.all(
        ["8h", "9h"].map((every) => put(every, { "if-match": etag })),
        { concurrency: 2 }
      )
      expect(both.toSorted()).toEqual([200, 412])
      const last = (yield* call("GET", path)).etag
      expect(yield* statuses("DELETE", path, [{ "if-match": last }, { "if-match": last }])).toEqual([204, 404])
    })
  )

  it.effect("is no request that names a schedule which has only fired since", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* client.flowlines.save({ params, query: {}, payload: flowlineForm(hello) })
      const path = "schedules/often"
      const put = (headers: Record<string, string> = {}) =>
        raw(`/v1/${tenant}/${path}`, {
          method: "PUT",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify({ flowline: id, trigger: { cron: "* * * * * *" } })
        })
      expect((yield* put()).status).toBe(201)
      const key = { ...params, name: "often" }
      const { etag } = yield* call("GET", path)
      const { next } = yield* client.schedules.get({ params: key })
      yield* until(client.schedules.get({ params: key }), (schedule) => schedule.next !== next)
      const again = yield* call("GET", path, { "if-none-match": etag })
      expect(again).toEqual({ status: 200, etag })
      expect((yield* put({ "if-match": etag })).status).toBe(200)
      const sent = (yield* call("GET", path)).etag
      yield* client.schedules.pause({ params: key })
      expect((yield* put({ "if-match": sent })).status).toBe(412)
      expect(yield* statuses("DELETE", path, [{ "if-match": etag }, { "if-match": sent }])).toEqual([412, 412])
      expect(yield* statuses("DELETE", path, [{ "if-match": (yield* call("GET", path)).etag }])).toEqual([204])
    })
  )

  it.effect("does nothing to an archive", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const payload = flowlineForm(archiving("samples/orders.log"))
      const { id } = yield* client.flowlines.save({ params, query: {}, payload })
      const execution = yield* client.flowlines.execute({ params: { ...params, id }, query: {}, payload: null })
      const path = `archives/${execution.id}`
      expect(yield* ended(tenant, id, execution.id)).toMatchObject({ state: "SUCCEEDED" })
      const { etag } = yield* call("HEAD", path)
      const refused = [{ "if-match": '"x"' }, { "if-none-match": "*" }, { "if-unmodified-since": longAgo }]
      expect(yield* statuses("DELETE", path, refused)).toEqual([412, 412, 412])
      expect(yield* statuses("DELETE", path, [{ "if-match": etag }])).toEqual([204])
    })
  )
})
