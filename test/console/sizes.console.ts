import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core"
import { connect } from "../../packages/client/src/promise.ts"
import { dagLimit } from "../../scripts/bundle-console.ts"
import { boxOf, execute, flowline, problems, saved, text } from "./flowlinePages.ts"
import { ended } from "./runs.ts"
import { Console } from "./support.ts"

/** Opens a page in a fresh browser, and returns the gzip size of everything that it has loaded when it is idle. */
const loadedBy = async (
  browser: Browser,
  url: string,
  isThere: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {}
) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  const page = await context.newPage()
  const open = new Set<string>()
  const loaded = new Map<string, number>()
  const isFile = (request: Request) => request.isNavigationRequest() || request.url().includes("/assets/")
  page.on("request", (request) => {
    if (isFile(request)) open.add(request.url())
  })
  const finished: Array<Promise<void>> = []
  page.on("requestfinished", (request) => {
    if (!isFile(request)) return
    const address = request.url()
    const note = async () => {
      const body = await (await request.response())!.body()
      loaded.set(address.replace(/.*\//, ""), gzipSync(body, { level: 9 }).length)
      open.delete(address)
    }
    finished.push(note())
  })
  await page.goto(url)
  await isThere(page)
  // Idle: nothing is loading, and the page has no work.
  let before = -1
  while (open.size > 0 || before !== loaded.size) {
    before = loaded.size
    for (let at = 0; at < 5; at++) {
      await page.evaluate(() => new Promise((done) => requestIdleCallback(done)))
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
    }
    await Promise.all(finished)
  }
  page.removeAllListeners("requestfinished")
  const bytes = [...loaded.values()].reduce((sum, one) => sum + one, 0)
  return { page, bytes, names: [...loaded.keys()], context }
}

const drawn = async (page: Page) => {
  await boxOf(page, "parse").waitFor()
  // The text is highlighted, and the gateway's verdict is shown.
  await text(page).locator(".cm-line span").first().waitFor()
  await problems(page).getByText("No problems").waitFor()
  await page.getByRole("region", { name: "Node lines" }).waitFor()
}

layer(Console.layer, { excludeTestServices: true })("a page with a DAG", (it) => {
  for (const [name, path, isThere] of [
    ["a saved flowline", (url: string) => saved(url, flowline("small")).then((id) => `flowlines/${id}`), drawn],
    [
      "a flowline in JSON",
      async (url: string) => {
        const lines = { type: "generator_input", component: "lines", settings: { count: 1, messages: ["x"] } }
        const dag = [
          { ...lines, publish: [{ stream: "lines" }] },
          { type: "show", component: "parse", subscribe: [{ component: "lines", stream: "lines" }] }
        ]
        return `flowlines/${await saved(url, JSON.stringify({ runtime: "stream", dag }), undefined, "a.json")}`
      },
      drawn
    ],
    [
      "a flowline in HJSON",
      async (url: string) => {
        const nodes = [
          '{ type: "generator_input", component: "lines", settings: { messages: ["x"] }, publish: [ { stream: "a" } ] }',
          '{ type: "show", component: "parse", subscribe: [ { component: "lines", stream: "a" } ] }'
        ]
        const text = `// One line.\nruntime: stream\ndag: [\n  ${nodes.join("\n  ")}\n]\n`
        return `flowlines/${await saved(url, text, undefined, "a.hjson")}`
      },
      drawn
    ],
    ["a new flowline", async () => "flowlines/new", drawn],
    [
      "a run",
      async (url: string) => {
        const api = connect(url)
        const id = await saved(url, flowline("run"))
        const run = await execute(url, id)
        await ended(api, id, run)
        return `runs/${id}/${run}`
      },
      async (page: Page) => {
        await boxOf(page, "parse").filter({ hasText: /\d/ }).waitFor()
      }
    ]
  ] as const) {
    it.effect(`loads what it may: ${name}`, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        yield* Effect.promise(async () => {
          const at = await path(gateway.url)
          const { bytes, names, context } = await loadedBy(browser, `${gateway.url}/console/${at}`, isThere)
          assert.isAtMost(bytes, dagLimit, names.join(" "))
          // Every file was counted: the picture alone has 70 KB.
          assert.isAbove(bytes, 150_000)
          assert.isTrue(names.some((one) => one.startsWith("Picture-") && one.endsWith(".js")))
          assert.isFalse(names.some((one) => /^(?:TesterPage|TreeGrid)-/.test(one)))
          await context.close()
        })
      })
    )
  }

  for (const [name, filename, words, file] of [
    ["YAML", "a.yaml", "# Mine.\n", flowline("draft")],
    ["YAML with faults", "a.yaml", "  - { ", flowline("faulty")],
    [
      "HJSON",
      "a.hjson",
      "# Mine.\n",
      'runtime: stream\ndag: [\n  { type: "generator_input", component: "parse", settings: { messages: ["x"] } }\n]\n'
    ]
  ] as const) {
    it.effect(`loads no more with a draft: ${name}`, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        yield* Effect.promise(async () => {
          const url = `${gateway.url}/console/flowlines/${await saved(gateway.url, file, undefined, filename)}`
          const first = await loadedBy(browser, url, async (page) => {
            await boxOf(page, "parse").waitFor()
            await text(page).press("Control+End")
            await page.keyboard.insertText(words)
            await page.getByText("Changed, not saved").waitFor()
          })
          // As when a tab is closed.
          await first.page.goto("about:blank")
          const storageState = await first.context.storageState()
          await first.context.close()
          const { page, bytes, names, context } = await loadedBy(
            browser,
            url,
            async (page) => {
              await boxOf(page, "parse").waitFor()
              await text(page).locator(".cm-line span").first().waitFor()
              await text(page).getByText(words.trim()).waitFor()
            },
            { storageState }
          )
          assert.isAtMost(bytes, dagLimit, names.join(" "))
          assert.isAbove(bytes, 150_000)
          assert.isFalse(names.some((one) => /^(yaml|hjson)Tools-/.test(one)))
          // The first key press loads the parser.
          const brought = page.waitForRequest(/(yaml|hjson)Tools-/)
          await text(page).press("Control+End")
          await brought
          await context.close()
        })
      })
    )
  }
})
