import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { packagePath } from "../../src/drivers/Package.ts"
import { execute, saved } from "./flowlinePages.ts"
import { Console, fill, open, soon } from "./support.ts"

// The screenshots in the documents. `npm run pictures` takes them, and stores with each what a screen reader hears on
// the page. The tests compare that with the present page, so an outdated screenshot fails. Numbers are ignored, because
// times and sizes differ between runs.

const folder = packagePath("docs/pictures")
const isMade = process.env["FLOW_PICTURES"] === "1"

const flowline = `version: "1.0"
type: flowline
name: web-errors
runtime: stream
dag:
  # The access log of the shop.
  - type: file_input
    settings: { path: samples/access.log.gz }
    publish: [ { stream: lines } ]
  - type: grok
    settings: { patterns: [ "%{COMBINEDAPACHELOG}" ] }
    subscribe: [ { component: file_input, stream: lines } ]
    publish: [ { stream: requests } ]
  # Only what the server got wrong.
  - type: filter
    settings: { where: response >= 500 }
    subscribe: [ { component: grok, stream: requests } ]
    publish: [ { stream: failed } ]
  - type: archive_output
    settings: { entry: failed.csv }
    subscribe: [ { component: filter, stream: failed } ]
`

const documents = `runtime: stream
name: access-index
dag:
  - { type: file_input, settings: { path: samples/access.log.gz }, publish: [ { stream: lines } ] }
  - type: grok
    settings: { patterns: [ "%{COMBINEDAPACHELOG}" ] }
    subscribe: [ { component: file_input, stream: lines } ]
    publish: [ { stream: requests } ]
  - type: date
    settings: { field: timestamp, formats: [ "dd/MMM/yyyy:HH:mm:ss Z" ] }
    subscribe: [ { component: grok, stream: requests } ]
    publish: [ { stream: timed } ]
  - { type: search_output, settings: { index: mytenant-access }, subscribe: [ { component: date, stream: timed } ] }
`

const lines = `2026-03-10T14:11:02Z ORD-104237 created by alice
2026-03-10T14:11:40Z ORD-104238 created by bob
2026-03-10T14:12:27Z ORD-104240 cancelled by bob
2026-03-10T14:13:55Z backend overloaded, orders are queued
2026-03-10T14:14:09Z ORD-104241 created by carol`

interface Picture {
  readonly name: string
  /** The path below `/console/`. */
  readonly path: (url: string) => Promise<string>
  /** Performs the reader's first steps, and waits for the content of the screenshot. */
  readonly show: (page: Page) => Promise<void>
}

/** Waits until the edges of the graph are drawn, which come last. */
const drawn = (page: Page): Promise<void> =>
  page
    .getByRole("button", { name: /from filter to archive_output/ })
    .first()
    .waitFor()

const finished = async (url: string, text: string): Promise<string> => {
  const id = await saved(url, text)
  const execution = await execute(url, id)
  const output = `${url}/v1/mytenant/flowline/executions/${execution}/output`
  // The stream ends with the run.
  await (await fetch(output, { headers: { accept: "text/event-stream" } })).text()
  return `${id}/${execution}`
}

const pictures: ReadonlyArray<Picture> = [
  {
    name: "tester",
    path: async () => "",
    show: async (page) => {
      await fill(page, /^Log lines/, lines)
      await fill(page, /^Grok patterns/, "%{TIMESTAMP_ISO8601:time} %{ORDER_ID:order} %{WORD:action} by %{USER:user}")
      await page.getByText("4 of 5 lines match (80%)").waitFor()
      await page.getByRole("row").filter({ hasText: "backend overloaded" }).click()
      await page.getByText("Here it fails:").waitFor()
    }
  },
  {
    name: "flowline",
    path: async (url) => `flowlines/${await saved(url, flowline)}`,
    show: async (page) => {
      await drawn(page)
      await page.locator('[data-node="grok"]').click()
      await page.getByRole("region", { name: "Problems" }).getByText("No problems").waitFor()
      await page.getByRole("textbox", { name: "patterns" }).waitFor()
    }
  },
  {
    name: "run",
    path: async (url) => `runs/${await finished(url, flowline)}`,
    show: async (page) => {
      await page.getByText("24,000 read, 154 written").waitFor()
      await drawn(page)
    }
  },
  {
    name: "search",
    path: async (url) => {
      await finished(url, documents)
      return "search"
    },
    show: async (page) => {
      await page.getByRole("grid").getByRole("row").nth(5).waitFor()
    }
  }
]

/**
 * The text of the page, without the parts that differ between runs: numbers, addresses, rows, edges that are drawn
 * later.
 */
const said = async (page: Page): Promise<string> => {
  const snapshot = await page.locator("body").ariaSnapshot()
  const lines = snapshot.split("\n").filter((line) => !/^\s*- (row|gridcell|cell|slider|img|\/url)\b/.test(line))
  const ids = /- code: [\w-]{20,}/g
  return `${lines
    .join("\n")
    .replace(ids, "- code: id")
    .replace(/\d[\d.,:]*/g, "0")
    // Noon is between two runs.
    .replace(/0 [AP]M\b/g, "0 AM")
    // A run takes longer beside other work.
    .replace(/0 (?:ms|s|min)(?: 0 s)?\b/g, "0 s")}\n`
}

layer(Console.layer, { excludeTestServices: true })("the pictures of the documentation", (it) => {
  for (const { name, path, show } of pictures) {
    it.effect(`${name} shows what there is`, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        const address = yield* Effect.promise(() => path(gateway.url))
        const { page } = yield* Effect.acquireRelease(
          Effect.promise(() => open(browser, `${gateway.url}/console/${address}`)),
          ({ page }) => Effect.promise(() => page.context().close())
        )
        yield* Effect.promise(() => show(page))
        const file = (extension: string) => join(folder, `console-${name}.${extension}`)
        if (isMade) {
          mkdirSync(folder, { recursive: true })
          yield* Effect.promise(() => page.screenshot({ path: file("png"), animations: "disabled", caret: "hide" }))
          const text = yield* Effect.promise(() => said(page))
          writeFileSync(file("txt"), text)
        }
        const kept = readFileSync(file("txt"), "utf8")
        yield* Effect.promise(() =>
          soon(async () => assert.strictEqual(await said(page), kept, "Make the pictures anew: npm run pictures"))
        )
      })
    )
  }
})
