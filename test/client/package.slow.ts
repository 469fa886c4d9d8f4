import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bundleClient, declareClient } from "../../scripts/bundle-client.ts"
import { root } from "../support/documents.ts"
import { memoryGateway, TestGateway, temporaryFolder } from "../support/gateway.ts"

const run = promisify(execFile)

/**
 * Maximum bytes of the client for browsers with all its dependencies, in a server's compression. Nine tenths are
 * Effect's. Each endpoint adds about a hundred: 60,000 were for the first 58, 63,000 for 81. Stopping uploads and
 * downloads takes four hundred.
 */
const most = 66_500
/** And of the reader of HJSON, which needs nothing. */
const mostOfHjson = 2_500

const consumer = `
import { Effect } from "effect"
import { FlowGateway } from "@flow-gateway/client"
import * as promises from "@flow-gateway/client/promise"
import * as browser from "@flow-gateway/client/browser"
import { readHjson, Source, TextFault } from "@flow-gateway/client/hjson"

const url = process.argv[2]
const { flowlines, platform } = await Effect.runPromise(FlowGateway(url))
const missing = { params: { tenant: "mytenant", id: "nothing" }, query: {} }
const said = [
  await Effect.runPromise(platform.tenant()),
  await Effect.runPromise(Effect.flip(flowlines.get(missing)).pipe(Effect.map(({ _tag, kind }) => ({ _tag, kind }))))
]
const file = JSON.stringify({
  runtime: "stream",
  dag: [
    { type: "dataset_generator", settings: { rows: [] }, publish: [{ stream: "rows" }] },
    { type: "show", subscribe: [{ component: "dataset_generator", stream: "rows" }] }
  ]
})
const params = { tenant: "mytenant" }
const save = (query) => {
  const payload = promises.form({ file: [file, "flowline.json"] })
  return Effect.runPromise(flowlines.save({ params, query, payload }))
}
const { id, version, ...saved } = await save({})
said.push([version, saved, (await save({ id })).version])
for (const { connect, form, GatewayError } of [promises, browser]) {
  const { documentation, flowlines, operators, platform, registry } = connect(url)
  said.push(await platform.tenant())
  const failure = await flowlines.get(missing).catch((error) => error)
  said.push([failure instanceof GatewayError, failure.status, failure.type, failure.problem.kind])
  const payload = form({ input: ["a 1", "log"], pattern: ["%{WORD:w} %{NUMBER:n:int}", "patterns"] })
  const { results } = await operators.test({ params: { operator: "grok" }, query: {}, payload })
  said.push(results[0].output)
  const create = (headers) =>
    registry.create({ params, payload: form({ path: "lists/a.csv", file: [new Blob(["a"]), "a.csv"] }) }, { headers })
  const headers = { "idempotency-key": crypto.randomUUID() }
  said.push([await create(headers), await create(headers), await create()])
  const page = await documentation.index({ params: { tenant: "mytenant" } })
  said.push((await new Response(page).text()).length > 100)
}
const { value, mark } = readHjson("a: text # no comment\\n# one\\nb: [1]", "hjson")
said.push([value, mark.members.get("a").end])
try {
  readHjson('{"a": 1,}', "json")
} catch (fault) {
  said.push([fault instanceof TextFault, new Source('{"a": 1,}').position(fault.at)])
}
console.log(JSON.stringify(said))
`

/** A program of another project. Were a type missing, nothing of it would be an error. */
const typed = `
import { Effect, Stream } from "effect"
import { FlowGateway } from "@flow-gateway/client"
import { connect as browser } from "@flow-gateway/client/browser"
import { readHjson } from "@flow-gateway/client/hjson"
import { connectLight } from "@flow-gateway/client/light"
import { connect } from "@flow-gateway/client/promise"

const url = "http://127.0.0.1:4242"
const missing = { params: { tenant: "mytenant", id: "nothing" }, query: {} }
export const named = FlowGateway(url).pipe(
  Effect.flatMap(({ flowlines }) => flowlines.get(missing)),
  Effect.catchTag("NotFound", ({ kind, traceId }) => Effect.succeed<readonly [string, string | undefined]>([kind, traceId]))
)
export const printed = Stream.unwrap(
  Effect.map(FlowGateway(url), ({ follow }) => follow.output({ params: missing.params, query: {} }))
).pipe(Stream.catchTag("NotFound", ({ kind }) => Stream.succeed<string>(kind)))
for (const { platform, flowlines } of [connect(url), browser(url), connectLight(url)]) {
  const { tenant } = await platform.tenant()
  tenant.toUpperCase()
  // @ts-expect-error: a tenant is a text
  tenant.toFixed()
  // @ts-expect-error: the id is missing
  await flowlines.get({ params: { tenant }, query: {} })
}
// @ts-expect-error: the second is the name of a format
readHjson("a: 1", 1)
`

it("can be imported in a clone", async () => {
  const program = 'import("@flow-gateway/client/promise").then(({ connect }) => console.log(typeof connect))'
  const { stdout } = await run(process.execPath, ["-e", program], { cwd: root })
  expect(stdout).toBe("function\n")
})

it.effect("has types for other projects in a clone, where nothing was packed", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.promise(async () => {
      const installed = join(folder, "node_modules/@flow-gateway/client")
      mkdirSync(installed, { recursive: true })
      cpSync(join(root, "packages/client/package.json"), join(installed, "package.json"))
      symlinkSync(join(root, "node_modules/effect"), join(folder, "node_modules/effect"))
      // What `npm ci` runs.
      expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts.prepare).toContain("bundle-client.ts")
      await declareClient(join(installed, "dist"))
      const declared = readFileSync(join(installed, "dist/types/src/Api.d.ts"), "utf8")
      // What editors show of a field, also of one in a query, whose schema is that of the text in the request.
      expect(declared).toMatch(/\/\*\* Unread bytes of a followed input \*\/\n +readonly lag: /)
      expect(declared).toMatch(/\/\*\* Only executions in this state \*\/\n +state: /)
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
      writeFileSync(join(folder, "call.ts"), typed)
      const options = ["--module", "nodenext", "--target", "es2024", "--lib", "es2024,dom,dom.iterable", "--strict"]
      const tsc = [
        join(root, "node_modules/typescript/bin/tsc"),
        "--noEmit",
        "--skipLibCheck",
        "--types",
        "",
        ...options
      ]
      const { stdout } = await run(process.execPath, [...tsc, "call.ts"], { cwd: folder }).catch((failure) => failure)
      expect(stdout).toBe("")
    })
  })
)

layer(memoryGateway(), { excludeTestServices: true })("the package of the client", (it) => {
  it.effect("needs nothing but Effect, is small in browsers, and talks to a gateway", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const folder = yield* temporaryFolder
      const installed = join(folder, "node_modules/@flow-gateway/client")
      yield* Effect.promise(async () => {
        mkdirSync(installed, { recursive: true })
        cpSync(join(root, "packages/client/package.json"), join(installed, "package.json"))
        symlinkSync(join(root, "node_modules/effect"), join(folder, "node_modules/effect"))
        const dist = join(installed, "dist")
        await bundleClient(dist)
        const imports = (file: string) =>
          [...readFileSync(join(dist, file), "utf8").matchAll(/^import [^"']*["']([^"']+)["']/gm)].map(
            ([, name]) => name
          )
        const names = new Set(readdirSync(dist).flatMap(imports))
        expect([...names].filter((name) => !/^(effect(\/[\w/-]+)?|\.\/[\w-]+\.js)$/.test(name!))).toEqual([])
        expect([...imports("browser.js"), ...imports("light.js"), ...imports("hjson.js")]).toEqual([])
        expect(gzipSync(readFileSync(join(dist, "hjson.js")), { level: 9 }).length).toBeLessThanOrEqual(mostOfHjson)
        const browser = readFileSync(join(dist, "browser.js"))
        // Effect only loads `node:async_hooks` if `process` has it.
        const text = browser.toString().replace("getBuiltinModule?.(`node:async_hooks`)", "")
        expect(text).not.toMatch(/["'`]node:|\brequire\(|\bimport\(/)
        expect(gzipSync(browser, { level: 9 }).length).toBeLessThanOrEqual(most)

        writeFileSync(join(folder, "call.mjs"), consumer)
        const { stdout } = await run(process.execPath, ["call.mjs", url], { cwd: folder })
        const tenant = { tenant: "mytenant" }
        const promised = (version: number) => [
          tenant,
          [true, 404, "/problems/not-found", "flowline"],
          { w: "a", n: 1 },
          [{ version }, { version }, { version: version + 1 }],
          true
        ]
        expect(JSON.parse(stdout)).toEqual([
          tenant,
          { _tag: "NotFound", kind: "flowline" },
          [1, { index: "mytenant-flowlines", ...tenant }, 2],
          ...promised(1),
          ...promised(3),
          [{ a: "text # no comment", b: [1] }, 20],
          [true, { line: 1, column: 8 }]
        ])
      })
    })
  )
})
