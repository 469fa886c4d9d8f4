import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { freePort } from "../cluster/members.ts"
import { eventually } from "../support/process.ts"
import { isAlive, runnersOf, signal, site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"

const receiving = (port: number) => `
runtime: stream
dag:
  - { type: http_input, settings: { port: ${port} }, publish: [ { stream: records } ] }
  - type: search_output
    settings: { index: mytenant-received, id_field: n }
    subscribe: [ { component: http_input, stream: records } ]
  - type: file_output
    settings: { path: received.ndjson, append: true }
    subscribe: [ { component: http_input, stream: records } ]
`

const Found = Schema.Struct({ documents: Schema.Array(Schema.Struct({ source: Schema.Struct({ n: Schema.Finite }) })) })

const senders = 8

/** Sends records until nobody answers, and returns which were acknowledged. */
const send = async (url: string, sender: number, acknowledged: Set<number>) => {
  for (let n = sender; ; n += senders) {
    const body = JSON.stringify({ n })
    const headers = { "content-type": "application/json" }
    const answer = await fetch(url, { method: "POST", headers, body }).catch(() => undefined)
    if (answer?.status !== 202) return
    acknowledged.add(n)
  }
}

describe("a record that http_input has acknowledged", () => {
  it.live("is in the index and in the file, also when the run and the gateway are killed at once", () =>
    Effect.gen(function* () {
      const here = yield* site()
      const port = yield* Effect.promise(freePort)
      yield* Effect.promise(async () => {
        const killed = await here.start()
        const id = await tenantOf(killed.url).run(receiving(port))
        const url = `http://127.0.0.1:${port}/`
        const isOpen = () => fetch(url).then(({ status }) => status === 405)
        await eventually("the run listens", () => isOpen().catch(() => false))
        const acknowledged = new Set<number>()
        const sending = Array.from({ length: senders }, (_, sender) => send(url, sender, acknowledged))
        await eventually("records are acknowledged", () => acknowledged.size > 60)
        const runners = runnersOf(killed.pid)
        signal(runners, "SIGKILL")
        await killed.kill("SIGKILL")
        await Promise.all(sending)
        await eventually("the run is gone", () => !runners.some(isAlive))

        const gateway = await here.start()
        await tenantOf(gateway.url).running(id)
        await eventually("the run listens again", () => isOpen().catch(() => false))
        let found: unknown
        await eventually("an answer of the search", async () => {
          const answer = await fetch(`${gateway.url}/v1/mytenant/search`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ index: "mytenant-received", limit: 1000 })
          })
          found = await answer.json()
          // If the storage is too busy to answer in time, the request is repeated.
          return answer.status === 200
        })
        const { documents } = Schema.decodeUnknownSync(Found)(found)
        const text = readFileSync(join(here.data, "blobs", "mytenant", "data", "received.ndjson"), "utf8")
        const written = text.split("\n").map((line) => (line === "" ? undefined : JSON.parse(line).n))
        for (const place of [documents.map(({ source }) => source.n), written]) {
          const stored = new Set(place)
          assert.deepStrictEqual(
            [...acknowledged].filter((n) => !stored.has(n)),
            []
          )
        }
      })
    })
  )
})
