import { mkdirSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { act } from "../cluster/members.ts"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { isAlive, runnersOf, signal, site } from "../support/process-gateway.ts"

const sending = (url: string, follow: boolean) => `
runtime: stream
dag:
  - { type: file_input, settings: { path: "logs/*.log", follow: ${follow} }, publish: [ { stream: out } ] }
  - type: http_output
    settings: { url: "${url}", id_field: rid, batch_records: 10 }
    subscribe: [ { component: file_input, stream: out } ]
`

describe("the records of a job's http_output", () => {
  it.live("have the same ids when the gateway is killed before any position was kept", () =>
    Effect.gen(function* () {
      const { root, folderOf } = yield* configuration
      const here = yield* site({ variables: { FLOW_CONF: root, FLOW_OUTBOUND_ALLOW: "127.0.0.1" } })
      const came = new Map<string, Array<string>>([
        ["/whole", []],
        ["/followed", []]
      ])
      const held: Array<ServerResponse> = []
      let isHolding = true
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          createServer((request, response) => {
            let body = ""
            request.on("data", (chunk: Buffer) => (body += chunk.toString()))
            request.on("end", () => {
              const records = came.get(request.url ?? "")
              records?.push(...body.trim().split("\n"))
              // The third request of each stays without an answer.
              if (isHolding && (records?.length ?? 0) >= 30) held.push(response)
              else response.end()
            })
          })
        ),
        (server) => Effect.sync(() => server.closeAllConnections())
      )
      yield* Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const folder = join(folderOf("mytenant"), "channels", "sends")
      for (const path of [folder, join(folderOf("mytenant"), "logs")]) mkdirSync(path, { recursive: true })
      const names = [...came.keys()].map((path) => path.slice(1))
      const jobs = names.map((name) => `{ name: ${name}, runtime: stream }`)
      writeFileSync(join(folder, "channel_structure.yaml"), `jobs: [${jobs.join(", ")}]`)
      for (const name of names)
        writeFileSync(join(folder, `${name}.yaml`), sending(`${url}/${name}`, name === "followed"))
      const words = Array.from({ length: 60 }, (_, n) => `line ${n % 25}`)
      writeFileSync(join(folderOf("mytenant"), "logs", "a.log"), words.map((word) => `${word}\n`).join(""))
      yield* Effect.promise(async () => {
        const killed = await here.start()
        await act(killed.url, "sends", "start")
        await eventually("both wait in the middle of a batch", () => held.length === 2)
        const runners = runnersOf(killed.pid)
        signal(runners, "SIGKILL")
        await killed.kill("SIGKILL")
        await eventually("the runs are gone", () => !runners.some(isAlive))
        isHolding = false
        await here.start()
        await eventually("all came", () => [...came.values()].every((records) => records.length >= 30 + words.length))
      })
      for (const [path, records] of came) {
        const kept = new Map(records.map((record) => JSON.parse(record)).map(({ rid, message }) => [rid, message]))
        assert.deepStrictEqual([path, [...kept.values()].sort()], [path, words.toSorted()])
      }
    }).pipe(Effect.scoped)
  )
})
