import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { gateway, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const flowline = (settings: string) => `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [one, two], ${settings} }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`
const endless = flowline("rate: 50")

const write = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, text)
  }
}

const params = { tenant: "mytenant", channel: "main" }
const status = (channel = "main") =>
  Effect.flatMap(TestGateway, ({ client }) => client.channels.status({ params: { ...params, channel } }))
const act = (action: string, channel = "main") =>
  Effect.map(raw(`/v1/mytenant/channels/${channel}/${action}`, { method: "POST" }), (response) => response.status)

const become = (wanted: string, channel = "main") => until(status(channel), (found) => found.status === wanted)

const suite = (name: string, served: (conf: string) => Layer.Layer<TestGateway, never, never>) =>
  layer(
    Layer.unwrap(
      Effect.map(configuration, ({ root, folderOf }) => {
        write(join(folderOf("mytenant"), "channels"), {
          "main/channel_structure.yaml": `applications:
  - { name: first, runtime: stream }
  - { name: second, runtime: stream, cluster: other, flowline: first.yaml }
`,
          "main/first.yaml": endless,
          "bounded/channel_structure.json": '{"jobs":[{"name":"a","runtime":"stream"}]}',
          "bounded/a.hjson": `{ runtime: "stream", dag: [
  { type: "generator_input", settings: { messages: ["one", "two"], count: 3, rate: 1000 }, publish: [{ stream: "out" }] }
  { type: "show", subscribe: [{ component: "generator_input", stream: "out" }] }
] }`,
          "failing/channel_structure.yaml":
            "jobs: [{ name: a, runtime: stream, restart: { initial: 10ms, max: 20ms, perHour: 1 } }]",
          "failing/a.yaml": `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [one], count: 1 }, publish: [ { stream: out } ] }
  - { type: file_output, settings: { path: a/b.ndjson }, subscribe: [ { component: generator_input, stream: out } ] }
  - { type: file_input, settings: { path: missing.log }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: file_input, stream: out } ] }
`,
          "broken/channel_structure.yaml": "applications: [{ name: a, runtime: steam }]",
          "empty/readme.txt": "no structure",
          "faulty/channel_structure.yaml": "jobs: [{ name: a, runtime: stream }, { name: b, runtime: stream }]",
          "faulty/a.yaml": "runtime: stream\ndag:\n  - { type: nothing }\n"
        })
        return served(root)
      })
    ),
    { excludeTestServices: true }
  )(name, (it) => {
    it.effect("are found in the configuration, the unusable ones with the reason", () =>
      Effect.gen(function* () {
        const { client } = yield* TestGateway
        const { children, errors } = yield* client.channels.list({ params: { tenant: "mytenant" } })
        expect(children.map(({ name, status }) => [name, status])).toEqual([
          ["bounded", "STOPPED"],
          ["failing", "STOPPED"],
          ["faulty", "STOPPED"],
          ["main", "STOPPED"]
        ])
        expect(errors.map(({ name, status }) => [name, status])).toEqual([
          ["broken", "INVALID"],
          ["empty", "INVALID"]
        ])
        expect(errors[0]?.reason).toContain("line 1")
        expect(errors[1]?.reason).toContain("can be read")
        expect(yield* status("broken")).toMatchObject({ status: "INVALID", jobs: [], reason: errors[0]?.reason })
        expect(yield* client.channels.list({ params: { tenant: "othertenant" } })).toEqual({ children: [], errors: [] })
      })
    )

    it.effect("start, run, and stop", () =>
      Effect.gen(function* () {
        expect(yield* act("start")).toBe(201)
        const active = yield* become("ACTIVE")
        expect(active.jobs).toMatchObject([
          {
            cluster: "local",
            name: "main/local/first",
            runtimeId: "tenants/mytenant/channels/main/local/first",
            status: "ACTIVE",
            task: "channels/main/first.yaml",
            desired: "ACTIVE",
            restarts: 0,
            lastError: null
          },
          { cluster: "other", name: "main/other/second", status: "ACTIVE", task: "channels/main/first.yaml" }
        ])
        const metrics = yield* Effect.flatMap(raw("/metrics"), (response) => Effect.promise(() => response.text()))
        expect(metrics).toMatch(/flow_job_running\{tenant="mytenant",channel="main",cluster="local",job="first"\} 1/)
        // Again changes nothing: the runs are the same ones.
        expect(yield* act("start")).toBe(201)
        expect((yield* status()).jobs.map(({ jobId, since }) => [jobId, since])).toEqual(
          active.jobs.map(({ jobId, since }) => [jobId, since])
        )
        expect(yield* act("stop")).toBe(204)
        expect(yield* status()).toMatchObject({
          status: "STOPPED",
          jobs: [{ status: "STOPPED" }, { status: "STOPPED" }]
        })
        expect(yield* act("stop")).toBe(204)
      })
    )

    it.effect("end in what the last of many requests said", () =>
      Effect.gen(function* () {
        const many = Array.from({ length: 3 }, (_, index) => act(index % 2 === 0 ? "start" : "stop"))
        yield* Effect.all(many, { concurrency: "unbounded" })
        yield* act("start")
        yield* become("ACTIVE")
        yield* Effect.all(many, { concurrency: "unbounded" })
        expect(yield* act("stop")).toBe(204)
        expect(yield* status()).toMatchObject({ status: "STOPPED" })
      })
    )

    it.effect("let a job be stopped, started and restarted by itself", () =>
      Effect.gen(function* () {
        yield* act("start")
        const before = yield* become("ACTIVE")
        expect(yield* act("jobs/other/second/stop")).toBe(204)
        expect((yield* status()).jobs.map(({ status }) => status)).toEqual(["ACTIVE", "STOPPED"])
        // Whatever should run does.
        expect(yield* status()).toMatchObject({ status: "ACTIVE" })
        expect(yield* act("jobs/other/second/start")).toBe(201)
        yield* become("ACTIVE")
        expect(yield* act("jobs/local/first/restart")).toBe(201)
        const after = yield* become("ACTIVE")
        expect(after.jobs[0]!.since).not.toBe(before.jobs[0]!.since)
        expect(yield* act("jobs/local/none/stop")).toBe(404)
        yield* act("stop")
      })
    )

    it.effect("are restarted once for an idempotency key, and stopped as often as it is said", () =>
      Effect.gen(function* () {
        const key = { "idempotency-key": crypto.randomUUID() }
        const send = (action: string) => raw(`/v1/mytenant/channels/main/${action}`, { method: "POST", headers: key })
        expect((yield* send("restart")).status).toBe(201)
        const { jobs } = yield* become("ACTIVE")
        const again = yield* send("restart")
        expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"])
        expect((yield* status()).jobs.map(({ since }) => since)).toEqual(jobs.map(({ since }) => since))
        expect((yield* send("start")).status).toBe(422)
        expect((yield* send("stop")).status).toBe(204)
        yield* become("STOPPED")
        expect(yield* act("start")).toBe(201)
        expect((yield* send("stop")).status).toBe(204)
        yield* become("STOPPED")
      })
    )

    it.effect("show what their jobs print", () =>
      Effect.gen(function* () {
        const { client } = yield* TestGateway
        expect(yield* act("start", "bounded")).toBe(201)
        expect((yield* become("FINISHED", "bounded")).jobs[0]).toMatchObject({ status: "FINISHED", lastError: null })
        const job = { ...params, channel: "bounded", cluster: "local", job: "a" }
        const { lines } = yield* client.channels.output({ params: job, query: {} })
        expect(lines.map(({ seq, text }) => [seq, text])).toEqual([
          [1, '{"message":"one"}'],
          [2, '{"message":"two"}'],
          [3, '{"message":"one"}']
        ])
        const rest = yield* client.channels.output({ params: job, query: { from: 2 } })
        expect(rest.lines.map(({ seq }) => seq)).toEqual([3])
        // A job that has come to its end runs again when it is started.
        yield* act("start", "bounded")
        yield* until(client.channels.output({ params: job, query: {} }), ({ lines }) => lines.length === 6)
        yield* act("stop", "bounded")
        const text = yield* raw("/v1/mytenant/channels/bounded/jobs/local/a/output?from=5", {
          headers: { accept: "text/plain" }
        })
        expect(yield* Effect.promise(() => text.text())).toBe('{"message":"one"}\n')
      })
    )

    it.effect("fail when a job fails too often, and say why", () =>
      Effect.gen(function* () {
        expect(yield* act("start", "failing")).toBe(201)
        const failed = yield* until(
          status("failing"),
          ({ status, jobs }) => status === "FAILED" && jobs[0]?.status === "FAILED"
        )
        expect(failed.jobs[0]).toMatchObject({ status: "FAILED", restarts: 1, desired: "ACTIVE" })
        expect(failed.jobs[0]!.lastError).toContain("missing.log")
        yield* act("stop", "failing")
        expect(yield* status("failing")).toMatchObject({ status: "STOPPED" })
      })
    )

    it.effect("are not started when anything of them is wrong", () =>
      Effect.gen(function* () {
        const { client, settings } = yield* TestGateway
        const refused = yield* Effect.flip(
          client.channels.act({ params: { ...params, channel: "faulty", action: "start" } })
        )
        expect(refused).toMatchObject({ _tag: "InvalidChannel", channel: "faulty" })
        const issues = refused._tag === "InvalidChannel" ? refused.issues : []
        expect(issues.map(({ file, line }) => [file, line])).toEqual([
          ["channels/faulty/a.yaml", 3],
          ["channels/faulty/b.yaml", undefined]
        ])
        expect(yield* act("start", "broken")).toBe(422)
        expect(yield* act("stop", "broken")).toBe(204)
        expect(yield* act("start", "none")).toBe(404)
        expect(yield* act("pause")).toBe(404)
        expect(yield* act("start", "..%2fmain")).toBe(404)
        // Mended while the gateway runs.
        const folder = join(settings.conf, "tenants/mytenant/channels/faulty")
        write(folder, { "a.yaml": endless, "b.yaml": endless })
        expect(yield* act("start", "faulty")).toBe(201)
        yield* become("ACTIVE", "faulty")
        // Removed while it runs: it can still be seen and stopped.
        rmSync(folder, { recursive: true })
        expect(yield* status("faulty")).toMatchObject({
          status: "INVALID",
          jobs: [{ status: "ACTIVE" }, { status: "ACTIVE" }]
        })
        expect(yield* act("stop", "faulty")).toBe(204)
        expect(yield* Effect.flip(status("faulty"))).toMatchObject({ _tag: "NotFound", kind: "channel" })
      })
    )

    it.effect("forget jobs that have come to their end when the configuration has them no more", () =>
      Effect.gen(function* () {
        const { client, settings } = yield* TestGateway
        const folder = join(settings.conf, "tenants/mytenant/channels/leaving")
        const once = flowline("count: 1, rate: 1000")
        write(folder, { "channel_structure.yaml": "jobs: [{ name: a, runtime: stream }]", "a.yaml": once })
        yield* act("start", "leaving")
        yield* become("FINISHED", "leaving")
        const renamed = "jobs: [{ name: b, runtime: stream, flowline: a.yaml }]"
        write(folder, { "channel_structure.yaml": renamed })
        expect(yield* status("leaving")).toMatchObject({ status: "STOPPED", jobs: [{ name: "leaving/local/b" }] })
        rmSync(folder, { recursive: true })
        expect(yield* Effect.flip(status("leaving"))).toMatchObject({ _tag: "NotFound", kind: "channel" })
        const { errors } = yield* client.channels.list({ params: { tenant: "mytenant" } })
        expect(errors.map(({ name }) => name)).not.toContain("leaving")
      })
    )
  })

suite("channels in memory", (conf) => memoryGateway({ conf }))
suite("channels on PostgreSQL and processes", (conf) => gateway({ conf }))
