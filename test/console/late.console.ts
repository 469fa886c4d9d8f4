import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import { boxOf, cursorBehind, flowline, problems, saved, text, textOf } from "./flowlinePages.ts"
import { Console } from "./support.ts"

/** Opens a flowline whose later files, those of these names, are held back until they are released. */
const openHeld = async (browser: Browser, url: string, id: string, names: RegExp) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  let letThrough = () => {}
  const isFree = new Promise<void>((done) => {
    letThrough = done
  })
  let tell = () => {}
  const isAsked = new Promise<void>((done) => {
    tell = done
  })
  await page.route(/\/assets\//, async (route) => {
    if (names.test(route.request().url())) {
      tell()
      await isFree
    }
    await route.continue().catch(() => {})
  })
  await page.goto(`${url}/console/flowlines/${id}`)
  await boxOf(page, "parse").waitFor()
  await problems(page).getByText("No problems").waitFor()
  return { context, page, isAsked, letThrough: () => letThrough() }
}

const offered = (page: Page, name: RegExp) =>
  page.locator(".cm-tooltip-autocomplete").getByRole("option").filter({ hasText: name })

layer(Console.layer, { excludeTestServices: true })("the page of a flowline, before all of it is loaded", (it) => {
  const scenario = (name: string, run: (given: typeof Console.Service) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const given = yield* Console
        yield* Effect.promise(() => run(given))
      })
    )

  for (const [name, press] of [
    ["a key", (page: Page) => page.keyboard.press("Control+Space")],
    ["typing", (page: Page) => page.keyboard.type("geo")]
  ] as const) {
    scenario(`completes what ${name} has asked for`, async ({ gateway: { url }, browser }) => {
      const id = await saved(url, flowline("asked"))
      const { context, page, isAsked, letThrough } = await openHeld(browser, url, id, /completing-/)
      await cursorBehind(page, "subscribe: [ { component: failed")
      await page.keyboard.insertText("\n  - type: ")
      await press(page)
      await isAsked
      assert.strictEqual(await page.locator(".cm-tooltip-autocomplete").count(), 0)
      letThrough()
      await offered(page, /^geoip/).waitFor()
      await context.close()
    })
  }

  scenario("offers nothing where nobody has asked", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, flowline("unasked"))
    const { context, page, isAsked, letThrough } = await openHeld(browser, url, id, /completing-/)
    await cursorBehind(page, "- type: grok")
    await page.keyboard.press("Control+Space")
    // The cursor has moved elsewhere.
    await page.keyboard.press("ArrowLeft")
    await isAsked
    letThrough()
    await text(page).and(page.locator("[aria-autocomplete]")).waitFor()
    // A list would appear within a few frames.
    for (let frame = 0; frame < 20; frame++) {
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
    }
    assert.strictEqual(await page.locator(".cm-tooltip-autocomplete").count(), 0)
    await page.keyboard.press("Control+Space")
    await offered(page, /^grok/).waitFor()
    await context.close()
  })

  scenario("does what was chosen and typed in its forms", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, flowline("formed"))
    const { context, page, isAsked, letThrough } = await openHeld(browser, url, id, /yamlTools-/)
    // The form of the first node is present without any action.
    const form = page.getByRole("region", { name: "Node lines" })
    const messages = form.getByRole("textbox", { name: /^messages/ })
    assert.strictEqual(await messages.inputValue(), "- 10.0.0.1 GET 200\n- 10.0.0.2 GET 404\n- rubbish")
    await form.getByRole("textbox", { name: /^count/ }).fill("4")
    await messages.fill("- one\n- two: 2")
    await isAsked
    assert.include(await text(page).innerText(), "count: 3")
    letThrough()
    await text(page).getByText("count: 4").waitFor()
    await text(page).getByText("two: 2").waitFor()
    await problems(page).getByText("No problems").waitFor()
    await page.keyboard.press("ControlOrMeta+s")
    await page.getByText("Version 2, saved").waitFor()
    assert.strictEqual(
      (await textOf(url, id)).text,
      flowline("formed")
        .replace("count: 3", "count: 4")
        .replace(/messages: \[.*?\]/, "messages: [ one, { two: 2 } ]")
    )
    await context.close()
  })

  scenario("goes to the node that was chosen", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, flowline("chosen"))
    const { context, page, isAsked, letThrough } = await openHeld(browser, url, id, /yamlTools-/)
    await boxOf(page, "failed").click()
    await isAsked
    await page.getByRole("region", { name: "Node lines" }).waitFor()
    letThrough()
    await page.getByRole("region", { name: "Node failed" }).waitFor()
    await context.close()
  })

  scenario("is gone as soon as another view is chosen", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, flowline("viewed"))
    const { context, page, isAsked, letThrough } = await openHeld(browser, url, id, /OtherViews-/)
    await page.getByRole("link", { name: "Versions" }).click()
    await isAsked
    await text(page).waitFor({ state: "detached" })
    letThrough()
    await page.getByRole("grid", { name: "Versions" }).waitFor()
    await context.close()
  })

  scenario("reads what was typed and left before it could be read", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, flowline("left"))
    const { context, page, isAsked, letThrough } = await openHeld(browser, url, id, /yamlTools-/)
    await cursorBehind(page, "name: left")
    await page.keyboard.type("-early")
    await isAsked
    await page.getByText("Changed, not saved").waitFor()
    const reloaded = page.reload()
    letThrough()
    await reloaded
    // Nobody touches the page.
    await page.getByRole("heading", { name: "left-early" }).waitFor()
    await context.close()
  })

  scenario("reads what was typed while the gateway was away", async ({ site, browser }) => {
    const gateway = await site.start()
    const id = await saved(gateway.url, flowline("away"))
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${gateway.url}/console/flowlines/${id}`)
    await problems(page).getByText("No problems").waitFor()
    await boxOf(page, "parse").waitFor()
    await gateway.kill("SIGKILL")
    await cursorBehind(page, "name: away")
    await page.keyboard.type("-and-back")
    await page.getByText("The gateway does not answer").first().waitFor()
    const again = await site.start({ FLOW_PORT: String(gateway.port) })
    await page.getByRole("heading", { name: "away-and-back" }).waitFor()
    await page.context().close()
    await again.kill("SIGTERM")
  })
})
