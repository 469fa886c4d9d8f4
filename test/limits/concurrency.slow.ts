import { mkdirSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { flowlineForm, gatewayOn, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { fileAccess } from "./access.ts"

const { layer: access, changeFile } = fileAccess()

const tenant = "mytenant"
const limited = (limits: object) => changeFile({ tenants: { mytenant: { limits }, othertenant: {} } })
const endless = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [tick], rate: 10 }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`

const usedOf = (name: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    Effect.map(
      client.limits.limits({ params: { tenant } }),
      ({ limits }) => limits.find(({ limit }) => limit === name)?.used
    )
  )

/** An upload of which only the first part is sent, until `end`. */
const halfUpload = (url: string, of: string) => {
  const sent = request(`${url}/v1/${of}/registry`, {
    method: "POST",
    agent: false,
    headers: { "content-type": "multipart/form-data; boundary=b" }
  })
  const answer = new Promise<{ status: number; body: string; retryAfter: string | undefined }>((done, fail) => {
    sent.on("response", (response) => {
      let body = ""
      response.on("data", (chunk: Buffer) => (body += chunk.toString()))
      const { statusCode: status = 0, headers } = response
      response.on("end", () => done({ status, body, retryAfter: headers["retry-after"] }))
    })
    sent.on("error", fail)
  })
  answer.catch(() => {})
  sent.write('--b\r\ncontent-disposition: form-data; name="path"\r\n\r\np\r\n')
  sent.write('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nbytes')
  const end = () => {
    sent.end("\r\n--b--\r\n")
    return answer
  }
  return { answer, end }
}

const withChannel = Layer.unwrap(
  Effect.map(configuration, ({ root, folderOf }) => {
    for (const [name, jobs] of [
      ["one", ["a"]],
      ["two", ["a", "b"]]
    ] as const) {
      const folder = join(folderOf(tenant), "channels", name)
      mkdirSync(folder, { recursive: true })
      const lines = jobs.map((job) => `  - { name: ${job}, runtime: stream }\n`)
      writeFileSync(join(folder, "channel_structure.yaml"), `applications:\n${lines.join("")}`)
      for (const job of jobs) writeFileSync(join(folder, `${job}.yaml`), endless)
    }
    return gatewayOn(access, { conf: root })
  })
)

layer(withChannel, { excludeTestServices: true })("what a tenant does at once", (it) => {
  it.effect("its uploads: one too many is refused before its file is sent, and another tenant's is not", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      yield* limited({ concurrentUploads: 1 })
      const first = halfUpload(url, tenant)
      yield* until(usedOf("concurrentUploads"), (used) => used === 1)
      const second = yield* Effect.promise(() => halfUpload(url, tenant).answer)
      expect([second.status, second.retryAfter]).toEqual([429, "1"])
      expect(JSON.parse(second.body)).toMatchObject({
        type: "/problems/limit-exceeded",
        limit: "concurrentUploads",
        value: 1,
        used: 2,
        key: "tenant:mytenant",
        tenant
      })
      expect((yield* Effect.promise(() => halfUpload(url, "othertenant").end())).status).toBe(200)
      expect((yield* Effect.promise(() => first.end())).status).toBe(200)
      yield* until(usedOf("concurrentUploads"), (used) => used === 0)
      expect((yield* Effect.promise(() => halfUpload(url, tenant).end())).status).toBe(200)
    })
  )

  it.effect("its executions: as many wait as may, however many are started together", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* limited({ runningExecutions: 1, waitingExecutions: 3 })
      const start = (of: string) =>
        raw(`/v1/${of}/flowline`, { method: "POST", body: flowlineForm(endless) }).pipe(
          Effect.flatMap((answer) =>
            Effect.map(
              Effect.promise(() => answer.json() as Promise<Record<string, unknown>>),
              (body) => ({ status: answer.status, body })
            )
          )
        )
      const first = yield* start(tenant)
      yield* until(usedOf("runningExecutions"), (used) => used === 1)
      yield* until(usedOf("waitingExecutions"), (used) => used === 0)
      const many = yield* Effect.all(
        Array.from({ length: 12 }, () => start(tenant)),
        { concurrency: 12 }
      )
      expect(many.filter(({ status }) => status === 200)).toHaveLength(3)
      for (const { body } of many.filter(({ status }) => status !== 200)) {
        expect(body).toMatchObject({
          type: "/problems/queue-full",
          limit: "waitingExecutions",
          value: 3,
          used: 4,
          key: "tenant:mytenant",
          tenant
        })
      }
      expect((yield* start("othertenant")).status).toBe(200)
      // Another place to run is given to the next one when one ends.
      yield* limited({ runningExecutions: 2, waitingExecutions: 3 })
      const ids = [first, ...many].flatMap(({ status, body }) => (status === 200 ? [String(body["id"])] : []))
      yield* Effect.forEach(ids, (id) => {
        const params = { tenant, flowlineId: id.slice(0, id.lastIndexOf("-")), executionId: id }
        return Effect.ignore(client.executions.cancel({ params }))
      })
      yield* until(usedOf("waitingExecutions"), (used) => used === 0)
    })
  )

  it.effect("its jobs: a channel that would start one too many starts none", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* limited({ jobs: 2 })
      const act = (channel: string, action: string) =>
        raw(`/v1/${tenant}/channels/${channel}/${action}`, { method: "POST" })
      expect((yield* act("one", "start")).status).toBe(201)
      const refused = yield* act("two", "start")
      expect(refused.status).toBe(429)
      expect(yield* Effect.promise(() => refused.json())).toMatchObject({
        type: "/problems/limit-exceeded",
        limit: "jobs",
        value: 2,
        used: 3,
        key: "tenant:mytenant"
      })
      const two = yield* client.channels.status({ params: { tenant, channel: "two" } })
      expect(two.jobs.map(({ desired }) => desired)).toEqual(["STOPPED", "STOPPED"])
      expect(yield* usedOf("jobs")).toBe(1)
      expect((yield* act("one", "stop")).status).toBe(204)
      const both = yield* Effect.all([act("two", "start"), act("one", "start")], { concurrency: 2 })
      expect(both.map(({ status }) => status).sort()).toEqual([201, 429])
      yield* act("one", "stop")
      yield* act("two", "stop")
    })
  )
})
