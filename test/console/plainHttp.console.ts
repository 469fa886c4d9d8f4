import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "../../packages/client/src/promise.ts"
import { dialogOf, logIn, password, Setting, setting, visit } from "./login.ts"
import { ended, save, start, tenant } from "./runs.ts"
import { launch } from "./support.ts"

const printing = (count: number) => `
runtime: stream
dag:
  - { type: generator_input, component: source, settings: { messages: [ { a: "x,y" } ], count: ${count}, rate: 100 }, publish: [ { stream: all } ] }
  - { type: show, component: screen, subscribe: [ { component: source, stream: all } ] }
  - { type: archive_output, component: file, settings: { entry: few.csv }, subscribe: [ { component: source, stream: all } ] }
`

/** A browser that sees the gateway as another machine: over plain HTTP it does not state the origin of a request. */
const away = launch("--host-resolver-rules=MAP othermachine 127.0.0.1")

layer(setting, { excludeTestServices: true })("the console over plain HTTP, from another machine", (it) => {
  it.effect("reads lists, streams and parts of files with its session", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Setting
      const browser = yield* away
      yield* Effect.promise(async () => {
        const api = connect(gateway.url, { credentials: { username: "alice", password } })
        const few = await save(api, printing(20))
        const run = await start(api, few)
        await ended(api, few, run)
        const many = await save(api, printing(100_000))
        const endless = await start(api, many)
        const context = await browser.newContext()
        const complaints: Array<string> = []
        const url = `http://othermachine:${gateway.port}/console/`
        const page = await visit(context, url, complaints)
        assert.isFalse(await page.evaluate(() => isSecureContext))
        await logIn(page)
        await dialogOf(page).waitFor({ state: "detached" })

        const refused: Array<string> = []
        page.on("response", (response) => {
          if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
        })
        const lines = page.getByRole("grid", { name: "Lines of the output" }).getByRole("row")
        await page.goto(`${url}runs/${few}/${run}?view=output`)
        await lines.nth(19).waitFor()
        await page.goto(`${url}runs/${many}/${endless}?view=output`)
        await page.waitForFunction(
          () => Number(document.querySelector("[role=grid] [role=row]:last-child")?.firstElementChild?.textContent) > 50
        )
        await api.executions.cancel({ params: { tenant, executionId: endless, flowlineId: many } })

        await page.goto(`${url}runs?view=archives`)
        await page.getByRole("main").getByRole("row").getByRole("link").first().click()
        const entries = page.getByRole("grid", { name: "Entries of the archive" })
        await entries.getByRole("row").filter({ hasText: "few.csv" }).click()
        await page.getByRole("gridcell", { name: "x,y" }).first().waitFor()

        for (const path of await page
          .locator("header nav a")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href")))) {
          await page.goto(new URL(path!, url).href)
          await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor()
          await page.waitForLoadState("networkidle")
          assert.deepStrictEqual([path, await page.getByRole("alert").allInnerTexts()], [path, []])
        }
        // Over plain HTTP Chromium logs that it ignores this header.
        const told = complaints.filter((text) => !text.startsWith("The Cross-Origin-Opener-Policy header"))
        assert.deepStrictEqual({ refused, told }, { refused: [], told: [] })
        await context.close()
      })
    })
  )
})
