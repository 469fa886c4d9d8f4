import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { chromium } from "playwright-core"
import type * as Client from "../../packages/client/src/promise.ts"
import { bundleClient } from "../../scripts/bundle-client.ts"
import { gateway, TestGateway, temporaryFolder } from "../support/gateway.ts"

const html = `<!doctype html><title>A page</title>
<script type="module">import * as client from "/client.js"; globalThis.client = client</script>`

/** The origin of a page that is not the gateway's. It serves the client as a single file, and nothing else. */
class Page extends Context.Service<Page, { readonly origin: string }>()("test/browser/Page") {
  static readonly layer = Layer.effect(
    Page,
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.promise(() => bundleClient(folder))
      const server = createServer((request, response) => {
        const isScript = request.url === "/client.js"
        response.setHeader("content-type", isScript ? "text/javascript" : "text/html")
        response.end(isScript ? readFileSync(join(folder, "browser.js")) : html)
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
        () => Effect.sync(() => server.close())
      )
      const { port } = server.address() as { readonly port: number }
      return { origin: `http://127.0.0.1:${port}` }
    })
  )
}

const listed = Layer.unwrap(Effect.map(Page, ({ origin }) => gateway({ cors: [origin] }))).pipe(
  Layer.provideMerge(Page.layer)
)

const lines = 3
const uploaded = 8 * 1024 * 1024

/** What the page's own script has loaded. */
declare const client: typeof Client

/** Runs in the page. It can use nothing of this file. */
const inPage = async ([url, lines, size]: readonly [string, number, number]) => {
  const { connect, form, GatewayError } = client
  const { flowlines, follow, platform, registry } = connect(url)
  const params = { tenant: "mytenant" }

  const failure = await flowlines.get({ params: { ...params, id: "nothing" }, query: {} }).catch((error) => error)
  const flowline = JSON.stringify({
    runtime: "stream",
    dag: [
      { type: "generator_input", settings: { messages: ["x"], count: lines }, publish: [{ stream: "s" }] },
      { type: "show", subscribe: [{ component: "generator_input", stream: "s" }] }
    ]
  })
  const { id } = await flowlines.executeOnce({ params, payload: form({ file: [flowline, "f.json"] }) })
  const printed: Array<number> = []
  let end: string | undefined
  for await (const item of follow.output({ params: { ...params, id }, query: {} })) {
    if (item.type === "line") printed.push(item.id)
    else end = item.data.state
  }

  const sent: Array<number> = []
  const content = new Blob([new Uint8Array(size)])
  const payload = () => form({ path: "page/large.bin", file: [content, "large.bin"] })
  const { version } = await registry.create({ params, payload: payload() }, { onSent: (bytes) => sent.push(bytes) })
  const { size: stored } = await registry.metadata({ params: { ...params, path: "page/large.bin" }, query: {} })

  const leaving = new AbortController()
  const left = await registry
    .create({ params, payload: payload() }, { signal: leaving.signal, onSent: () => leaving.abort() })
    .catch((error) => error.name)
  return {
    tenant: (await platform.tenant()).tenant,
    failure: [failure instanceof GatewayError, failure.status, failure.type],
    printed,
    end,
    version,
    stored,
    grows: sent.every((bytes, at) => at === 0 || bytes >= sent[at - 1]!),
    last: sent.at(-1) ?? 0,
    left
  }
}

layer(listed, { excludeTestServices: true })("the client in a page of a listed origin", (it) => {
  it.effect("calls, follows, uploads with progress, and can be ended", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { origin } = yield* Page
      const opened = yield* Effect.acquireRelease(
        Effect.promise(() => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })),
        (browser) => Effect.promise(() => browser.close())
      )
      const seen = yield* Effect.promise(async () => {
        const page = await opened.newPage()
        await page.goto(origin)
        return page.evaluate(inPage, [url, lines, uploaded] as const)
      })
      const { last, ...others } = seen
      assert.deepStrictEqual(others, {
        tenant: "mytenant",
        failure: [true, 404, "/problems/not-found"],
        printed: Array.from({ length: lines }, (_, at) => at + 1),
        end: "SUCCEEDED",
        version: 1,
        stored: uploaded,
        grows: true,
        left: "AbortError"
      })
      assert.isAbove(last, uploaded)
    })
  )
})
