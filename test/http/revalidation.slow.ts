import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { ended, flowlineForm, gateway, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { operations } from "../support/operations.ts"
import { random } from "../support/random.ts"

const tenant = "mytenant"
const base = `/v1/${tenant}`

const onConf = <A>(make: (conf: string) => Layer.Layer<A>) =>
  Layer.unwrap(Effect.map(configuration, ({ root }) => make(root)))

const flowline = (name: string) => `name: ${name}
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [a], count: 1 }
    publish: [ { stream: o } ]
  - type: show
    subscribe: [ { component: generator_input, stream: o } ]
`

const save = (name: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(flowline(name)) })
  )

interface Read {
  readonly status: number
  readonly tag: string
  /** All that a client learns: the body and the link to the next page. */
  readonly content: string
}

const read = Effect.fnUntraced(function* (path: string, tag?: string, from = "") {
  const headers = { "accept-encoding": "identity", ...(tag === undefined ? {} : { "if-none-match": tag }) }
  const answer = yield* from === "" ? raw(path, { headers }) : Effect.promise(() => fetch(from + path, { headers }))
  const body = yield* Effect.promise(() => answer.text())
  const content = `${answer.headers.get("link") ?? ""}\n${body}`
  return { status: answer.status, tag: answer.headers.get("etag") ?? "", content } satisfies Read
})

const lists = [
  ...["/flowline", "/flowline?limit=2", "/flowline/executions", "/flowline/executions?limit=1"],
  ...["/flowline/scan", "/flowline/scan/analytics", "/flowline/scan/pybatch", "/flowline/scan/stream"],
  ...["/archives", "/resources/list", "/resources/list?all=true&limit=2", "/resources/stored", "/resources/types"],
  ...["/registry", "/registry?limit=2", "/channels", "/channels/watch", "/conf", "/indices"]
].map((path) => base + path)

const form = (parts: Record<string, string>) => {
  const made = new FormData()
  for (const [name, text] of Object.entries(parts)) made.set(name, new Blob([text]), `${name}.txt`)
  return made
}

/** Changes of the lists' content, by a number below 8. */
const change = Effect.fnUntraced(function* (kind: number, step: number, from: number) {
  const { client, settings } = yield* TestGateway
  const folder = join(settings.conf, "tenants", tenant)
  const params = { tenant }
  const saved = yield* client.flowlines.list({ params, query: {} })
  const one = saved[from % Math.max(1, saved.length)]
  switch (kind) {
    case 0:
      return yield* save(`f${step}`)
    case 1:
      if (one === undefined) return yield* save("again")
      return yield* client.flowlines.remove({ params: { ...params, id: one.id } })
    case 2:
      if (one === undefined) return yield* save("again")
      return yield* client.flowlines.save({ params, query: { id: one.id }, payload: flowlineForm(flowline("next")) })
    case 3:
      return yield* raw(`${base}/registry`, {
        method: "POST",
        body: form({ file: "same bytes", path: `lists/${from % 3}.csv` })
      })
    case 4: {
      const manifest = `group: a\nartifact: b${from % 2}\nversion: ${step}.0\ntype: FILE\n`
      return yield* raw(`${base}/resources/upload`, { method: "PUT", body: form({ input: "x", manifest }) })
    }
    case 5: {
      const flowline = yield* save("run")
      const { id } = yield* client.flowlines.execute({ params: { ...params, id: flowline.id }, query: {} })
      return yield* ended(tenant, flowline.id, id)
    }
    case 6:
      mkdirSync(join(folder, "notes"), { recursive: true })
      return writeFileSync(join(folder, "notes", `${from % 3}.txt`), "x".repeat(from % 7))
    default: {
      const structure = join(folder, "channels/watch/channel_structure.yaml")
      mkdirSync(dirname(structure), { recursive: true })
      writeFileSync(join(dirname(structure), "parse.yaml"), flowline("parse"))
      if (from % 4 === 0) return rmSync(structure, { force: true })
      return writeFileSync(
        structure,
        `version: "1.0"\napplications: [ { name: parse, runtime: stream, cluster: c${from % 3} } ]\n`
      )
    }
  }
})

/** Reads every list after each of many changes: a tag stands for only one content, and 304 means that it is current. */
const property = (steps: number) =>
  Effect.gen(function* () {
    const { below } = random()
    const seen = new Map<string, string>()
    let [changed, unchanged] = [0, 0]
    for (let step = 0; step < steps; step++) {
      yield* change(step < 8 ? step : below(8), step, below(1000))
      for (const path of lists) {
        const last = seen.get(path)
        const before = last === undefined ? undefined : yield* read(path, last)
        const now = yield* read(path)
        if (now.status === 200) {
          assert.match(now.tag, /^"[0-9a-f]{64}"$/, path)
          const known = seen.get(`${path} ${now.tag}`)
          if (known !== undefined) assert.strictEqual(now.content, known, `${path} has changed, but not its tag`)
          seen.set(path, now.tag).set(`${path} ${now.tag}`, now.content)
        }
        if (before?.status === 304) {
          unchanged++
          assert.deepStrictEqual([before.tag, before.content], [last, "\n"], path)
          // Nothing runs meanwhile, so the current content is still the same.
          assert.strictEqual(now.content, seen.get(`${path} ${last}`), path)
        } else if (before !== undefined) changed++
      }
    }
    assert.isAbove(changed, steps)
    assert.isAbove(unchanged, steps * 5)
  })

layer(
  onConf((conf) => memoryGateway({ conf })),
  { excludeTestServices: true }
)("reads in memory", (it) => {
  it.effect("have a tag that changes with every change", () => property(16))

  it.effect("have tags as the description says", () =>
    Effect.gen(function* () {
      // Reads that follow a run line by line, and two whose tag is not of the whole answer.
      const others = ["channels.output", "executions.output", "registry.metadata", "schedules.get"]
      for (const { id, method, operation } of operations) {
        if (method !== "GET") continue
        const taken = operation.parameters.some(({ name }) => name === "If-None-Match")
        assert.strictEqual(operation.responses[304] !== undefined, taken, id)
        assert.strictEqual(taken, !others.includes(id), id)
      }
      const whole = yield* read("/openapi.json")
      assert.strictEqual((yield* read("/openapi.json", whole.tag)).status, 304)
      assert.strictEqual((yield* read("/health/live")).tag, "")
    })
  )

  it.effect("understand lists of tags, weak ones and any, also in HEAD", () =>
    Effect.gen(function* () {
      const { id } = yield* save("tags")
      for (const path of [`${base}/archives`, `${base}/flowline/scan`, `${base}/flowline/${id}`]) {
        const { tag } = yield* read(path)
        for (const given of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
          const answer = yield* raw(path, { headers: { "if-none-match": given } })
          assert.deepStrictEqual([path, given, answer.status], [path, given, 304])
          assert.strictEqual(answer.headers.get("cache-control"), "private, no-cache")
          const head = yield* raw(path, { method: "HEAD", headers: { "if-none-match": given } })
          assert.deepStrictEqual([head.status, head.headers.get("etag")], [304, tag])
        }
        // Not quoted, part of another, or with something before it.
        for (const given of [tag.slice(1, -1), `"a${tag.slice(1)}`, `${tag.slice(0, -2)}"`]) {
          assert.deepStrictEqual([given, (yield* read(path, given)).status], [given, 200])
        }
        const posted = yield* raw(`${base}/search`, {
          method: "POST",
          headers: { "if-none-match": "*", "content-type": "application/json" },
          body: JSON.stringify({ index: "mytenant-none" })
        })
        assert.strictEqual(posted.headers.get("etag"), null)
      }
    })
  )

  it.effect("that are a page change their tag with the link to the next one", () =>
    Effect.gen(function* () {
      const path = `${base}/resources/list?group=pages&limit=2`
      const upload = (artifact: string) => {
        const manifest = `group: pages\nartifact: ${artifact}\nversion: 1.0\ntype: FILE\n`
        return raw(`${base}/resources/upload`, { method: "PUT", body: form({ input: "x", manifest }) })
      }
      yield* upload("a")
      yield* upload("b")
      const full = yield* read(path)
      yield* upload("c")
      const more = yield* read(path, full.tag)
      assert.strictEqual(more.status, 200)
      assert.strictEqual(more.content.split("\n")[1], full.content.split("\n")[1])
      assert.notStrictEqual(more.tag, full.tag)
    })
  )

  it.effect("that are large have a tag when they are a page, and none when they are streamed", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const text = `${flowline("large")}description: ${"x".repeat(60_000)}\n`
      for (let n = 0; n < 20; n++) {
        yield* client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
      }
      const page = yield* read(`${base}/flowline?limit=1000`)
      assert.isAbove(page.content.length, 1024 * 1024)
      assert.strictEqual((yield* read(`${base}/flowline?limit=1000`, page.tag)).status, 304)
      const whole = yield* read(`${base}/flowline`, page.tag)
      assert.deepStrictEqual([whole.status, whole.tag, whole.content], [200, "", page.content])
    })
  )
})

layer(
  onConf((conf) => gateway({ conf })),
  { excludeTestServices: true }
)("reads on PostgreSQL", (it) => {
  it.effect("have a tag that changes with every change, and is the same from another gateway", () =>
    Effect.gen(function* () {
      yield* property(10)
      const { settings } = yield* TestGateway
      const { conf, databaseUrl = "", blobs } = settings
      const other = yield* Layer.build(Layer.fresh(gateway({ conf, databaseUrl, blobs })))
      const { url } = Context.get(other, TestGateway)
      for (const path of lists) {
        const own = yield* read(path)
        assert.strictEqual(own.status, 200, path)
        const theirs = yield* read(path, undefined, url)
        assert.deepStrictEqual(theirs, own)
        assert.strictEqual((yield* read(path, own.tag, url)).status, 304, path)
      }
    }).pipe(Effect.scoped)
  )
})
