import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gateway, raw, TestGateway } from "../support/gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"

const flowline = (entries: ReadonlyArray<string>): string =>
  JSON.stringify({
    runtime: "stream",
    dag: [
      {
        type: "generator_input",
        settings: { messages: ["one"], count: 1, rate: 1000 },
        publish: [{ stream: "out" }]
      },
      ...entries.map((entry, n) => ({
        type: "archive_output",
        component: `out${n}`,
        settings: { entry, format: "lines" },
        subscribe: [{ component: "generator_input", stream: "out" }]
      }))
    ]
  })

layer(gateway(), { excludeTestServices: true })("an archive", (it) => {
  const unpacked = Effect.fnUntraced(function* (entries: ReadonlyArray<string>) {
    const { url } = yield* TestGateway
    const id = yield* Effect.promise(async () => {
      const { run, ended } = tenantOf(url)
      const { error, id } = await run(flowline(entries)).then((started) => ended(started))
      assert.strictEqual(error, null)
      return id
    })
    const archive = yield* raw(`/v1/mytenant/archives/${id}`)
    return unzip(Buffer.from(yield* Effect.promise(() => archive.arrayBuffer())))
  })

  it.effect("tells in its manifest which entries have other names than their nodes gave them", () =>
    Effect.gen(function* () {
      const entries = yield* unpacked(["CON.log", "logs/report.", "fine.log"])
      const texts = new Map(entries.map(({ name, bytes }) => [name, bytes.toString()]))
      assert.sameMembers([...texts.keys()], ["CON_.log", "logs/report_", "fine.log", "manifest.json"])
      const manifest = JSON.parse(texts.get("manifest.json") ?? "")
      assert.sameDeepMembers(manifest.renamed, [
        { entry: "CON.log", as: "CON_.log" },
        { entry: "logs/report.", as: "logs/report_" }
      ])
      const archives = yield* raw("/v1/mytenant/archives")
      const [listed] = (yield* Effect.promise(() => archives.json())) as ReadonlyArray<{ readonly entries: number }>
      assert.strictEqual(listed?.entries, 4)
    })
  )

  it.effect("has no manifest when all entries have their names", () =>
    Effect.gen(function* () {
      const entries = yield* unpacked(["a.log", "b/c.log"])
      assert.sameMembers(
        entries.map(({ name }) => name),
        ["a.log", "b/c.log"]
      )
    })
  )
})
