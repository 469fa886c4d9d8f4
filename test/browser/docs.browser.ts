import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { chromium } from "playwright-core"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { patience } from "../support/process.ts"

const browser = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })),
  (browser) => Effect.promise(() => browser.close())
)

layer(memoryGateway(), { excludeTestServices: true })("the page of the API", (it) => {
  it.effect("asks nobody but the gateway and links to nobody else", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const opened = yield* browser
      const page = yield* Effect.promise(() => opened.newPage())
      const asked: Array<string> = []
      const complaints: Array<string> = []
      page.on("request", (request) => asked.push(request.url()))
      page.on("pageerror", (error) => complaints.push(error.message))
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text())
      })
      const links = yield* Effect.promise(async () => {
        await page.goto(`${url}/docs`)
        // The last group of the list: by then the whole page has been made.
        await page.getByText("Archives", { exact: true }).first().waitFor({ timeout: patience })
        await page.waitForLoadState("networkidle", { timeout: patience })
        // Where readers enter how the page authenticates its requests.
        await page.getByRole("button", { name: /Auth Type/ }).click()
        for (const scheme of ["basic", "bearer", "key"]) {
          await page.getByRole("option", { name: scheme, exact: true }).first().waitFor({ timeout: patience })
        }
        return page.locator("a[href]:visible").evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""))
      })
      const elsewhere = (address: string) => !address.startsWith(url) && !/^(data|blob):/.test(address)
      assert.deepStrictEqual(asked.filter(elsewhere), [])
      assert.include(asked, `${url}/docs`)
      assert.deepStrictEqual(complaints, [])
      assert.deepStrictEqual(
        links.filter((link) => /^(https?:)?\/\//.test(link) && elsewhere(link)),
        []
      )
    })
  )
})
