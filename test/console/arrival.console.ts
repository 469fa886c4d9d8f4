import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { connect } from "../../packages/client/src/promise.ts"
import { common } from "../../packages/console/src/texts/en.ts"
import { cursorBehind, execute, flowline, saved } from "./flowlinePages.ts"
import { ended } from "./runs.ts"
import { Console, soon, visit } from "./support.ts"

/** Waits until a title is announced to screen readers, and is that of the window. */
const arrives = async (page: Page, title: string) => {
  const whole = `${title} · Flow Gateway`
  await page.locator("header ~ [role=status]").getByText(whole, { exact: true }).waitFor({ state: "attached" })
  assert.strictEqual(await page.title(), whole)
}

/** What was announced, in order. Must be called before it is announced. */
const noted = (page: Page) =>
  page.evaluate(() => {
    const said: Array<string> = []
    const region = document.querySelector("header ~ [role=status]")!
    new MutationObserver(() => said.push(region.textContent)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true
    })
    Object.assign(globalThis, { said })
  })

layer(Console.layer, { excludeTestServices: true })("whoever comes to a page", (it) => {
  it.effect("hears its name and view, and not those of the former page", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      yield* Effect.promise(() => saved(gateway.url, flowline("heard")))
      yield* visit("flowlines", async (page) => {
        await noted(page)
        await page.getByRole("link", { name: "heard" }).click()
        await arrives(page, "heard · Flowlines")
        await page.getByRole("link", { name: "Versions" }).click()
        await arrives(page, "Versions · heard · Flowlines")
        await page.goBack()
        await arrives(page, "heard · Flowlines")
        await page.goBack()
        await arrives(page, "Flowlines")
        await page.getByRole("link", { name: "Data" }).click()
        await arrives(page, "Data")
        await page.getByRole("link", { name: "Registry" }).click()
        await arrives(page, "Registry · Data")
        await page.getByRole("link", { name: "Guide" }).click()
        await arrives(page, "mytenant · Guide")
        await page.getByRole("link", { name: "Glossary" }).click()
        await arrives(page, "Glossary · Guide")
        const said = (await page.evaluate(() => (globalThis as unknown as { said: Array<string> }).said)).join("\n")
        for (const wrong of ["heard · Data", "Flowlines · Data", "Registry · Guide", "Flowlines · Flowlines"])
          assert.notInclude(said, wrong)
        // What is typed is no arrival.
        await page.goto(`${gateway.url}/console/flowlines`)
        await page.getByRole("link", { name: "heard" }).click()
        await arrives(page, "heard · Flowlines")
        await cursorBehind(page, "name: heard")
        await page.keyboard.type("-more")
        await soon(async () => assert.strictEqual(await page.title(), "heard-more · Flowlines · Flow Gateway"))
        await page.getByRole("link", { name: "Schedules" }).click()
        await arrives(page, "Schedules · heard · Flowlines")
      })
    })
  )

  it.effect("reads the name of a view without its count, which may change each second and would be announced", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      const address = yield* Effect.promise(async () => {
        const id = await saved(gateway.url, flowline("unmoved"))
        const run = await execute(gateway.url, id)
        await ended(connect(gateway.url), id, run)
        return `runs/${id}/${run}`
      })
      yield* visit(address, async (page) => {
        await page.getByRole("link", { name: "Failed records (1)" }).click()
        const title = "Failed records · unmoved · Runs · Flow Gateway"
        await soon(async () => assert.strictEqual(await page.title(), title))
      })
    })
  )

  it.effect("hears it although a key that enters no text was pressed meanwhile", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      yield* Effect.promise(() => saved(gateway.url, flowline("slow")))
      yield* visit("flowlines", async (page) => {
        let release = () => {}
        const isFree = new Promise<void>((done) => {
          release = done
        })
        await page.route(/\/v1\/mytenant\/flowline\/[^/]+\/versions/, async (route) => {
          await isFree
          await route.continue()
        })
        const asked = page.waitForRequest(/\/versions/)
        await page.getByRole("link", { name: "slow" }).click()
        await asked
        for (const key of ["Shift", "Tab", "ArrowDown"]) await page.keyboard.press(key)
        release()
        await arrives(page, "slow · Flowlines")
      })
    })
  )

  it.effect("sees states whole, and names that are cut off when the pointer is on them", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      const name = "a-very-long-name-of-a-flowline-that-somebody-has-made-by-a-script-with-many-words"
      yield* Effect.promise(async () => {
        const api = connect(gateway.url)
        const id = await saved(gateway.url, flowline(name))
        await ended(api, id, await execute(gateway.url, id))
      })
      yield* visit("runs", async (page) => {
        const row = page.getByRole("row").filter({ hasText: name })
        const cell = (text: string) => row.getByRole("gridcell").filter({ hasText: text })
        const isCut = (text: string) => cell(text).evaluate((one) => one.scrollWidth > one.clientWidth)
        await row.waitFor()
        assert.isFalse(await isCut("succeeded, with warnings"))
        assert.isTrue(await isCut(name))
        await cell(name).hover()
        assert.strictEqual(await cell(name).getAttribute("title"), name)
        await page.setViewportSize({ width: 1900, height: 860 })
        await cell("succeeded, with warnings").hover()
        assert.strictEqual((await cell("succeeded, with warnings").getAttribute("title")) ?? "", "")
      })
    })
  )

  it.effect("sees the count of each stream, however long its name is", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      const stream = "a_stream_with_a_name_that_is_longer_than_its_label_can_be"
      const { id, run } = yield* Effect.promise(async () => {
        const id = await saved(gateway.url, flowline("counted").replaceAll("stream: lines", `stream: ${stream}`))
        const run = await execute(gateway.url, id)
        await ended(connect(gateway.url), id, run)
        return { id, run }
      })
      const isCountSeen = async (page: Page) => {
        const label = page.locator("button").filter({ hasText: stream }).first()
        await label.filter({ hasText: /3$/ }).waitFor()
        const [name, count] = await label.locator("span").all()
        assert.isTrue(await name!.evaluate((one) => one.scrollWidth > one.clientWidth))
        assert.strictEqual((await count!.innerText()).trim().replace("· ", ""), "3")
        const [inner, outer] = [(await count!.boundingBox())!, (await label.boundingBox())!]
        assert.isAtMost(inner.x + inner.width, outer.x + outer.width)
        assert.include((await label.getAttribute("title")) ?? "", stream)
      }
      yield* visit(`runs/${id}/${run}`, isCountSeen)
      yield* visit(`flowlines/${id}`, async (page) => {
        await page.getByRole("button", { name: "Try it" }).click()
        await page.getByRole("button", { name: "Try", exact: true }).click()
        await isCountSeen(page)
      })
    })
  )

  it("reads durations whose seconds are fewer than sixty", () => {
    assert.deepStrictEqual(
      [999.4, 999.6, 59_940, 59_960, 119_499, 119_600, 3_599_600, 3_600_000].map(common.duration),
      ["999 ms", "1 s", "59.9 s", "1 min 0 s", "1 min 59 s", "2 min 0 s", "1 h 0 min", "1 h 0 min"]
    )
  })
})
