import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { flowline, openFlowlines, problems } from "./flowlinePages.ts"
import { Console, fill } from "./support.ts"

/** The times in tables whose cells are too narrow for them. */
const cutTimes = (page: Page) =>
  page
    .locator("[role=gridcell]:has(time)")
    .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent))

layer(Console.layer, { excludeTestServices: true })("what somebody sees who begins", (it) => {
  const scenario = (name: string, run: (given: typeof Console.Service) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const given = yield* Console
        yield* Effect.promise(() => run(given))
      })
    )

  scenario("a refused save, until the text is another one", async ({ gateway: { url }, browser }) => {
    const { page } = await openFlowlines(browser, url, "/new")
    const refusal = page.getByRole("alert").filter({ hasText: "The flowline cannot be run" })
    await fill(page, /^Flowline\./, flowline("typo").replace("type: grok", "type: grokk"))
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await refusal.waitFor()
    await fill(page, /^Flowline\./, flowline("typo"))
    await problems(page).getByText("No problems").waitFor()
    assert.strictEqual(await refusal.count(), 0)
    await page.context().close()
  })
})
