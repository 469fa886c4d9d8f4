import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, gatewayOn, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { fileAccess } from "./access.ts"

const { layer: access, changeFile } = fileAccess()

const tenant = "mytenant"
const limited = (limits: object) => changeFile({ tenants: { mytenant: { limits }, othertenant: {} } })

/** A flowline that sends so many records to an output. */
const flowline = (output: object, count = 100) =>
  JSON.stringify({
    runtime: "stream",
    dag: [
      {
        type: "generator_input",
        settings: { messages: [{ text: "x".repeat(50) }], rate: 100_000, count },
        publish: [{ stream: "s" }]
      },
      { ...output, subscribe: [{ component: "generator_input", stream: "s" }] }
    ]
  })

const archiving = flowline({ type: "archive_output", settings: { entry: "all.ndjson" } })
const writing = (file: string, count?: number) => flowline({ type: "file_output", settings: { path: file } }, count)
const indexing = (count: number) => flowline({ type: "search_output", settings: { index: "mytenant-limits" } }, count)

const run = (text: string, of = tenant) =>
  Effect.gen(function* () {
    const { client } = yield* TestGateway
    const { id } = yield* client.flowlines.executeOnce({
      params: { tenant: of },
      payload: flowlineForm(text, "f.json")
    })
    return yield* ended(of, id.slice(0, id.lastIndexOf("-")), id)
  })

const used = Effect.flatMap(TestGateway, ({ client }) =>
  Effect.map(client.limits.limits({ params: { tenant } }), ({ limits }) =>
    Object.fromEntries(limits.map(({ limit, value, used, source }) => [limit, { value, used, source }]))
  )
)

layer(gatewayOn(access, {}), { excludeTestServices: true })("what a tenant stores", (it) => {
  it.effect("its archives: a run that would make one too many, or too much, fails and names the limit", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* limited({ archives: 1 })
      expect(yield* run(archiving)).toMatchObject({ state: "SUCCEEDED" })
      const second = yield* run(archiving)
      expect(second).toMatchObject({ state: "FAILED", archive: null })
      expect(second.error).toContain("the limit archives of tenant:mytenant is 1, and 2 would be used")
      expect((yield* used)["archives"]).toEqual({ value: 1, used: 1, source: "file" })
      yield* limited({ archiveBytes: 1000 })
      const large = yield* run(flowline({ type: "archive_output", settings: { entry: "a" } }, 200_000))
      expect(large).toMatchObject({ state: "FAILED", archive: null })
      expect(large.error).toMatch(/the limit archiveBytes of tenant:mytenant is 1000, and \d+ would be used/)
      expect(yield* run(archiving, "othertenant")).toMatchObject({ state: "SUCCEEDED" })
      yield* client.archives.removeAll({ params: { tenant } })
      expect((yield* used)["archiveBytes"]).toMatchObject({ used: 0 })
    })
  )

  it.effect("its archives: of runs that end together only as many succeed as fit", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* limited({ archives: 2 })
      const all = yield* Effect.all(
        Array.from({ length: 6 }, () => run(archiving)),
        { concurrency: 6 }
      )
      expect(all.filter(({ state }) => state === "SUCCEEDED")).toHaveLength(2)
      expect(yield* client.archives.list({ params: { tenant }, query: {} })).toHaveLength(2)
      yield* client.archives.removeAll({ params: { tenant } })
    })
  )

  it.effect("its data files: bytes and number, with what others have put there", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      const area = join(settings.data, "blobs", tenant, "data", "deep", "er")
      mkdirSync(area, { recursive: true })
      writeFileSync(join(area, "theirs.bin"), Buffer.alloc(5000))
      yield* limited({ dataBytes: 100_000, dataFiles: 2 })
      expect(yield* run(writing("a.ndjson", 10))).toMatchObject({ state: "SUCCEEDED" })
      // The area is measured again after ten times the time that the last walk has taken.
      const walked = yield* until(used, (all) => all["dataFiles"]?.used === 2)
      expect(walked["dataFiles"]).toEqual({ value: 2, used: 2, source: "file" })
      expect(walked["dataBytes"]?.used).toBeGreaterThan(5000)
      const third = yield* run(writing("b.ndjson", 10))
      expect([third.state, third.error]).toEqual([
        "FAILED",
        expect.stringContaining("the limit dataFiles of tenant:mytenant is 2, and 3 would be used")
      ])
      yield* limited({ dataBytes: 100_000 })
      const large = yield* run(writing("c.ndjson", 1_000_000))
      expect(large.error).toMatch(/the limit dataBytes of tenant:mytenant is 100000, and \d+ would be used/)
      expect((yield* used)["dataFiles"]).toMatchObject({ used: 2 })
    })
  )

  it.effect("its documents, and the rows of an extraction", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* limited({ documents: 500 })
      expect(yield* run(indexing(400))).toMatchObject({ state: "SUCCEEDED" })
      const more = yield* run(indexing(400))
      expect(more.state).toBe("FAILED")
      expect(more.error).toMatch(/the limit documents of tenant:mytenant is 500, and \d+ would be used/)
      const counted = (yield* used)["documents"]
      expect(counted?.used).toBeGreaterThanOrEqual(400)
      expect(counted?.used).toBeLessThanOrEqual(500)
      yield* limited({ documentBytes: 1 })
      expect((yield* run(indexing(10))).error).toMatch(/the limit documentBytes of tenant:mytenant is 1, and \d+/)
      yield* limited({ extractionRows: 399 })
      const extract = Effect.gen(function* () {
        const answer = yield* client.extraction.extract({
          params: { tenant },
          payload: { format: "csv", index: "mytenant-limits", fields: [{ name: "text" }] }
        })
        return yield* ended(tenant, answer.id, answer.execution)
      })
      const refused = yield* extract
      expect(refused).toMatchObject({ state: "FAILED", archive: null })
      expect(refused.error).toMatch(/the limit extractionRows of tenant:mytenant is 399, and \d+ would be used: narrow/)
      yield* limited({ extractionRows: 500 })
      expect(yield* extract).toMatchObject({ state: "SUCCEEDED" })
    })
  )

  it.effect("its versions of saved flowlines, which go with their flowline", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const text = flowline({ type: "show" }, 1)
      const used = Effect.map(client.limits.limits({ params: { tenant } }), ({ limits }) =>
        ["storedVersions", "storedBytes"].map((name) => limits.find(({ limit }) => limit === name)?.used ?? 0)
      )
      const [versions = 0, bytes = 0] = yield* used
      yield* limited({ storedVersions: versions + 2, storedBytes: bytes + 3 * text.length })
      const save = (id?: string) =>
        client.flowlines.save({
          params: { tenant },
          query: id === undefined ? {} : { id },
          payload: flowlineForm(text, "f.json")
        })
      const { id } = yield* save()
      expect((yield* save(id)).version).toBe(2)
      const full = { _tag: "TooMany", limit: "storedVersions", value: versions + 2, used: versions + 3 }
      expect(yield* Effect.flip(save(id))).toMatchObject(full)
      expect(yield* Effect.flip(save())).toMatchObject(full)
      const restore = client.flowlines.restore({ params: { tenant, id, version: 1 } })
      expect(yield* Effect.flip(restore)).toMatchObject(full)
      // A run of a file is not a saved version.
      expect(yield* run(text)).toMatchObject({ state: "SUCCEEDED" })
      expect(yield* used).toEqual([versions + 2, bytes + 2 * text.length])
      yield* limited({ storedBytes: bytes + 2 * text.length })
      expect(yield* Effect.flip(save(id))).toMatchObject({ _tag: "TooLarge", limit: "storedBytes" })
      yield* client.flowlines.remove({ params: { tenant, id } })
      expect(yield* used).toEqual([versions, bytes])
    })
  )

  it.effect("its versions: bytes and number, by the file", () =>
    Effect.gen(function* () {
      yield* limited({ storedBytes: 100, storedVersions: 2 })
      const put = Effect.fnUntraced(function* (path: string, bytes: string) {
        const body = new FormData()
        body.set("file", new Blob([bytes]), "f")
        body.set("path", path)
        const answer = yield* raw(`/v1/${tenant}/registry`, { method: "POST", body })
        const text = yield* Effect.promise(() => answer.text())
        return { status: answer.status, problem: text === "" ? undefined : JSON.parse(text) }
      })
      expect(yield* put("a", "x".repeat(60))).toMatchObject({ status: 200 })
      expect(yield* put("b", "x".repeat(60))).toMatchObject({
        status: 413,
        problem: { limit: "storedBytes", value: 100, used: 120, key: "tenant:mytenant" }
      })
      expect(yield* put("b", "x")).toMatchObject({ status: 200 })
      expect(yield* put("c", "x")).toMatchObject({
        status: 429,
        problem: { limit: "storedVersions", value: 2, used: 3, key: "tenant:mytenant", tenant }
      })
      const metrics = yield* Effect.flatMap(raw("/metrics"), (answer) => Effect.promise(() => answer.text()))
      expect(metrics).toMatch(/flow_limit_refusals_total\{limit="storedVersions",tenant="mytenant"\} [1-9]/)
    })
  )
})
