import { Effect } from "effect"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { ask, build, form } from "../resources/support.ts"
import { ended, flowlineForm, TestGateway } from "../support/gateway.ts"
import { generator } from "../support/runs.ts"

// What the requests of actions.test.ts share.

export const tenant = "mytenant"
export const base = `/v1/${tenant}`

export const sha256 = (text: string) =>
  Effect.promise(async () =>
    Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex")
  )

export const archived = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [a], count: 1 }, publish: [ { stream: out } ] }
  - { type: archive_output, subscribe: [ { component: generator_input, stream: out } ] }
  - type: search_output
    settings: { index: mytenant-audit }
    subscribe: [ { component: generator_input, stream: out } ]
`

export const saved = (text = generator(1, 1)) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
  )

export const executed = (text: string) =>
  Effect.gen(function* () {
    const { client } = yield* TestGateway
    const { id } = yield* saved(text)
    const execution = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
    return { id, execution: execution.id }
  })

export const done = (text = generator(1, 1)) =>
  Effect.tap(executed(text), ({ id, execution }) => ended(tenant, id, execution))

export const uploaded = ask(`${base}/resources/upload`, { method: "PUT", body: build({ version: "9" }, "uploaded") })
export const put = (path: string, bytes: string) =>
  ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes }, path }) })
export const companion = "org/example/tool/build.txt"
export const copy = (to: string) =>
  ask(`${base}/resources/copy/${companion}`, { method: "PUT", body: form({ destination: to }) })

export interface Called {
  /** Makes the request; what it answers is a success. */
  readonly call: Effect.Effect<{ readonly status: number; readonly text: string }, unknown, TestGateway>
  readonly row: Partial<Record<keyof AuditEntry, unknown>>
}

export type Calls = Readonly<Record<string, Effect.Effect<Called, unknown, TestGateway>>>

export const call = (method: string, path: string, body?: FormData | string) =>
  ask(path.startsWith("/v1/") ? path : `${base}/${path}`, {
    method,
    ...(body === undefined ? {} : { body }),
    ...(typeof body === "string" ? { headers: { "content-type": "application/json" } } : {})
  })

/** The files of a channel. */
export const ticks = JSON.stringify({
  files: { "channel_structure.yaml": "jobs: [{ name: tick, runtime: stream }]", "tick.yaml": generator(1, 1) }
})
