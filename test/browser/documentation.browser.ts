import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { chromium, type Page } from "playwright-core"
import { configuration } from "../support/conf.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"

const browser = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })),
  (browser) => Effect.promise(() => browser.close())
)

const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"/>'
const script = "<script>document.title = 'ran'</script>"

const pages = {
  "page.md": "# Page\n\n![shown](picture.svg)\n",
  "own.html": `<title>own</title><img src="picture.svg">${script}`,
  "picture.svg": picture
}

/** How wide the picture of the page is, in pixels; 0 if the browser has not shown it. */
const widthOf = (page: Page): Promise<unknown> => page.evaluate("document.querySelector('img').naturalWidth")

const Documented = Layer.unwrap(
  Effect.map(configuration, ({ root, folderOf }) => {
    const folder = join(folderOf("mytenant"), "documentation")
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
    return memoryGateway({ conf: root })
  })
)

layer(Documented, { excludeTestServices: true })("a page of a tenant's documentation", (it) => {
  it.effect("shows its pictures and runs nothing; pages of other sites cannot show them", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const opened = yield* browser
      const page = yield* Effect.promise(() => opened.newPage())
      const shown = (address: string) =>
        Effect.promise(async () => {
          await page.goto(address)
          await page.waitForLoadState("networkidle")
          return [await page.title(), await widthOf(page)]
        })
      const base = `${url}/v1/mytenant/documentation`
      assert.deepStrictEqual(yield* shown(`${base}/page`), ["Page", 7])
      assert.deepStrictEqual(yield* shown(`${base}/own.html`), ["own", 7])
      // To the browser another port of this machine is the same site, but 127.0.0.1 and localhost are different sites.
      const other = `${base}/picture.svg`.replace("127.0.0.1", "localhost")
      yield* Effect.promise(() => page.goto(`${base}/page`))
      const foreign = yield* Effect.promise(async () => {
        await page.route("http://elsewhere.test/", (route) =>
          route.fulfill({ contentType: "text/html", body: `<title>else</title><img src="${other}">` })
        )
        await page.goto("http://elsewhere.test/")
        await page.waitForLoadState("networkidle")
        return widthOf(page)
      })
      assert.strictEqual(foreign, 0)
    })
  )
})
