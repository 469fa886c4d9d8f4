import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { gateway, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { tenantOf } from "../support/runs.ts"

const words = ["one", "two", "three"]

const appending = (path: string, more = "") => `
runtime: stream
dag:
  - { type: file_input, settings: { path: words.txt }, publish: [ { stream: out } ] }
  - { type: file_output, settings: { path: ${path}, append: true }, subscribe: [ { component: file_input, stream: out } ] }
${more}`

/** Fails at its end, which starts with closing the file. */
const failing = appending(
  "failing.log",
  `  - { type: generator_input, settings: { messages: [ { at: 1000 } ], count: 1 }, publish: [ { stream: out } ] }
  - type: aggregate
    settings: { window: 5m, time_field: at, metrics: { count: { type: count } } }
    subscribe: [ { component: generator_input, stream: out } ]
    publish: [ { stream: counts } ]
  - type: http_output
    settings: { url: "http://127.0.0.1:1/", retry_seconds: 0 }
    subscribe: [ { component: aggregate, stream: counts } ]
`
)

const endless = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [tick], rate: 50 }, publish: [ { stream: out } ] }
  - { type: file_output, settings: { path: busy.log, append: true }, subscribe: [ { component: generator_input, stream: out } ] }
`

const withChannels = Layer.unwrap(
  Effect.map(configuration, ({ root, folderOf }) => {
    const folder = folderOf("mytenant")
    const channels = { whole: appending("whole.log"), failing, busy: endless }
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "words.txt"), `${words.join("\n")}\n`)
    for (const [name, text] of Object.entries(channels)) {
      mkdirSync(join(folder, "channels", name), { recursive: true })
      writeFileSync(
        join(folder, "channels", name, "channel_structure.yaml"),
        "jobs: [{ name: a, runtime: stream, restart: { initial: 10ms, max: 20ms, perHour: 1 } }]"
      )
      writeFileSync(join(folder, "channels", name, "a.yaml"), text)
    }
    return gateway({ conf: root })
  })
).pipe(Layer.orDie)

const act = (action: string, channel: string) =>
  Effect.map(raw(`/v1/mytenant/channels/${channel}/${action}`, { method: "POST" }), (response) => response.status)

const become = (wanted: string, channel: string) =>
  until(
    Effect.flatMap(TestGateway, ({ client }) => client.channels.status({ params: { tenant: "mytenant", channel } })),
    // A channel has failed also while its only job waits for a restart.
    (found) => found.jobs.every(({ status }) => status === wanted)
  )

const linesOf = (name: string) =>
  Effect.map(TestGateway, ({ settings }) => {
    const path = join(settings.data, "blobs", "mytenant", "data", name)
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []
  })

const runOnce = (text: string) =>
  Effect.flatMap(TestGateway, ({ url }) =>
    Effect.promise(async () => {
      const tenant = tenantOf(url)
      return tenant.ended(await tenant.run(text))
    })
  )

layer(withChannels, { excludeTestServices: true })("a job that appends to a file", (it) => {
  it.effect("adds to what its earlier runs have completed", () =>
    Effect.gen(function* () {
      yield* act("start", "whole")
      yield* become("FINISHED", "whole")
      expect(yield* linesOf("whole.log")).toEqual(words)
      yield* act("restart", "whole")
      yield* until(linesOf("whole.log"), (lines) => lines.length === 6)
      yield* become("FINISHED", "whole")
      expect(yield* linesOf("whole.log")).toEqual([...words, ...words])
    })
  )

  it.effect("has no line of its failed runs twice, and leaves the file to others when it has given up", () =>
    Effect.gen(function* () {
      yield* act("start", "failing")
      yield* become("FAILED", "failing")
      expect(yield* linesOf("failing.log")).toEqual(words)
      expect(yield* runOnce(appending("failing.log"))).toMatchObject({ state: "SUCCEEDED", error: null })
      expect(yield* linesOf("failing.log")).toEqual([...words, ...words])
    })
  )

  it.effect("keeps others from the file until it is stopped", () =>
    Effect.gen(function* () {
      yield* act("start", "busy")
      yield* until(linesOf("busy.log"), (lines) => lines.length > 0)
      const refused = yield* runOnce(appending("busy.log"))
      expect(refused.state).toBe("FAILED")
      expect(refused.error).toContain('the job channels/busy/local/a appends to the file "busy.log"')
      yield* act("stop", "busy")
      expect(yield* runOnce(appending("busy.log"))).toMatchObject({ state: "SUCCEEDED", error: null })
      expect((yield* linesOf("busy.log")).slice(-3)).toEqual(words)
    })
  )
})
