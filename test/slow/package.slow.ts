import { execFile } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { documents, root } from "../support/documents.ts"
import { compiler, installedPackage, nodes, startProgram } from "../support/package.ts"
import { freshDatabase } from "../support/postgres.ts"
import { temporary } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"

const run = promisify(execFile)

class Installed extends Context.Service<Installed, string>()("test/Installed") {}

const consumer = `
import { Effect, Layer, Schedule } from "effect"
import { HttpApi } from "effect/http-api"
import { Gateway, Settings, settings } from "flow-gateway"
import { Api } from "flow-gateway/Api"
import { FlowGateway } from "@flow-gateway/client"
import { connect } from "@flow-gateway/client/promise"

const tenant = "mytenant"
const flowline = JSON.stringify({
  runtime: "stream",
  dag: [
    { type: "dataset_generator", settings: { rows: [{ message: "7 apples" }] }, publish: [{ stream: "rows" }] },
    {
      type: "grok",
      settings: { patterns: ["%{NUMBER:count:int}"] },
      subscribe: [{ component: "dataset_generator", stream: "rows" }],
      publish: [{ stream: "rows" }]
    },
    { type: "archive_output", settings: {}, subscribe: [{ component: "grok", stream: "rows" }] }
  ]
})
const form = (parts: Readonly<Record<string, string>>) => {
  const form = new FormData()
  for (const [name, text] of Object.entries(parts)) form.set(name, new Blob([text]), name)
  return form
}

const promised: Promise<{ readonly tenant: string }> = connect(process.argv[2] ?? "").platform.tenant()
const program = Effect.gen(function* () {
  const { executions, flowlines } = yield* FlowGateway(process.argv[2] ?? "")
  const { id: executionId } = yield* flowlines.executeOnce({ params: { tenant }, payload: form({ file: flowline }) })
  const flowlineId = executionId.replace(/-\\d+$/, "")
  const detail = yield* executions.detail({ params: { tenant, flowlineId, executionId } }).pipe(
    Effect.repeat({ until: ({ endedAt }) => endedAt !== null, schedule: Schedule.spaced(50) })
  )
  const endpoints: Array<string> = []
  HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => endpoints.push(endpoint.path) })
  const typed: { readonly state: string; readonly tenant: string; readonly layer: boolean } = {
    state: detail.state,
    tenant: (yield* Effect.promise(() => promised)).tenant,
    layer: Layer.isLayer(Gateway) && Layer.isLayer(settings) && Settings.key.length > 0
  }
  console.log(JSON.stringify({ ...typed, endpoints: endpoints.length, error: detail.error }))
})

await Effect.runPromise(program)
`

layer(Layer.effect(Installed, installedPackage), { excludeTestServices: true })("the package", (it) => {
  it.effect("brings what it needs, and nothing of the development", () =>
    Effect.gen(function* () {
      const folder = join(yield* Installed, "node_modules/flow-gateway")
      const pages = documents.filter((file) => /^(docs\/|README)/.test(file))
      expect(pages.filter((file) => !existsSync(join(folder, file)))).toEqual([])
      for (const file of [
        "dist/programs/current",
        "dist/src/Api.d.ts",
        "examples/conf/platform.yaml",
        "packages/console/dist/index.html",
        "CHANGELOG.md"
      ]) {
        expect(existsSync(join(folder, file)), file).toBe(true)
      }
      for (const file of ["src", "packages/client", "packages/console/src", "test", "bench", "node_modules", ".ci"]) {
        expect(existsSync(join(folder, file)), file).toBe(false)
      }
    })
  )

  it.effect("has types that a strict project can use", () =>
    Effect.gen(function* () {
      const folder = yield* Installed
      writeFileSync(join(folder, "consumer.ts"), consumer)
      const compilerOptions = {
        target: "es2024",
        module: "nodenext",
        strict: true,
        noEmit: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        types: ["node"]
      }
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }))
      const faults = yield* Effect.promise(() =>
        run(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--singleThreaded"], {
          env: { ...process.env, ...compiler }
        }).then(
          () => "",
          ({ stdout }: { stdout: string }) => stdout
        )
      )
      expect(faults).toBe("")
    })
  )

  it.effect("has a program that serves, runs flowlines and stops, on old Nodes too", () =>
    Effect.gen(function* () {
      const folder = yield* Installed
      writeFileSync(join(folder, "call.ts"), consumer)
      for (const node of nodes()) {
        const FLOW_DATABASE_URL = Redacted.value(yield* freshDatabase)
        const gateway = yield* startProgram(node, folder, { FLOW_DATA: yield* temporary, FLOW_DATABASE_URL })
        yield* Effect.promise(async () => {
          const url = await gateway.address()
          if (node === process.execPath) {
            const { stdout } = await run(node, ["call.ts", url], { cwd: folder })
            const said = { state: "SUCCEEDED", tenant: "mytenant", layer: true, error: null }
            expect(JSON.parse(stdout)).toEqual({ ...said, endpoints: expect.any(Number) })
          } else {
            // The client is the same, only the program is started in another way.
            const tenant = tenantOf(url)
            expect(await tenant.ended(await tenant.run(generator(1, 1000)))).toMatchObject({
              state: "SUCCEEDED",
              error: null
            })
          }
          const page = await fetch(`${url}/problems/not-found`)
          expect(await page.text()).toMatch(/^# Not found\n/)
          expect(await gateway.stop()).toBe(0)
        })
      }
    })
  )
})
