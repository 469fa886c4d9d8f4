import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { Console, editor, noteShifts, rate, shiftsOf, soon, violations } from "./support.ts"

// The bytes, requests and layout shifts that determine the speed of the first use. None of them depends on this
// machine.

const patterns = /^Grok patterns/
const lines = /^Log lines/
/** Bytes with headers until the editors accept keys: a tenth of a second at 1.6 Mbit/s. */
const mostBytes = 20_000

/** A page whose later scripts are held back until they are released. */
const heldBack = async (browser: Browser, url: string, options: BrowserContextOptions = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  const page = await context.newPage()
  await page.addInitScript(noteShifts)
  let letThrough = () => {}
  const isFree = new Promise<void>((done) => {
    letThrough = done
  })
  const held: Array<string> = []
  // Files named in the first document are not held back.
  const first = await (await fetch(`${url}/console/`)).text()
  await page.route(/\/assets\//, async (route) => {
    const name = route.request().url().replace(/.*\//, "")
    if (!first.includes(name)) {
      held.push(name)
      await isFree
    }
    await route.continue().catch(() => {})
  })
  return { context, page, held, letThrough: () => letThrough() }
}

/** The left and upper edges of the editors, and their widths, in pixels. */
const placesOf = async (page: Page) => {
  const all = await page.locator("[class*='pattern-'], [class*='lines-']").all()
  const boxes = await Promise.all(all.slice(0, 2).map((one) => one.boundingBox()))
  return boxes.map((box) => [box?.x, box?.y, box?.width].map((length) => Math.round(length ?? Number.NaN)))
}

const area = (page: Page, name: RegExp) => page.locator("textarea").and(editor(page, name))

layer(Console.layerWhole, { excludeTestServices: true })("the first use", (it) => {
  it.effect("needs a few kilobytes, and nothing that another file names first", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { context, page, held } = await heldBack(browser, gateway.url)
        const session = await context.newCDPSession(page)
        await session.send("Network.enable")
        const finished: Array<number> = []
        session.on("Network.loadingFinished", ({ encodedDataLength }) => finished.push(encodedDataLength))
        await page.goto(`${gateway.url}/console/`, { waitUntil: "commit" })
        await area(page, patterns).focus()
        await page.keyboard.type("one ")
        assert.include(await area(page, patterns).inputValue(), "one ")
        await soon(async () => assert.isAbove(held.length, 1))
        assert.isAtMost(finished.length, 5)
        assert.isAtMost(
          finished.reduce((sum, bytes) => sum + bytes, 0),
          mostBytes
        )
        await context.close()
      })
    })
  )

  it.effect("loses no key when the page takes over, nor the place of the cursor", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { context, page, letThrough } = await heldBack(browser, gateway.url)
        await page.goto(`${gateway.url}/console/`, { waitUntil: "commit" })
        await area(page, patterns).waitFor()
        assert.deepStrictEqual(await violations(page), [])
        await area(page, lines).fill("first 1\nsecond 2")
        await area(page, patterns).focus()
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.type("%{WORD:w} %{INT:numb}")
        await page.keyboard.press("ArrowLeft")
        // It is stored before the rest of the page is present.
        assert.include(await page.evaluate(() => Object.values(localStorage).join("")), "%{INT:numb}")
        letThrough()
        // A reader who types without a pause.
        const typed = Array.from({ length: 400 }, (_, at) => String(at % 10)).join("")
        await page.keyboard.type(typed)
        await page.locator("textarea[class*='early']").first().waitFor({ state: "detached" })
        await page.keyboard.type("er")
        assert.strictEqual((await editor(page, patterns).innerText()).trim(), `%{WORD:w} %{INT:numb${typed}er}`)
        await rate(page).filter({ hasText: "2 of 2 lines match" }).waitFor()
        assert.strictEqual(await page.locator("textarea").count(), 0)
        await context.close()
      })
    })
  )

  it.effect("waits for an input method that is about to enter something", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { context, page, letThrough } = await heldBack(browser, gateway.url)
        const session = await context.newCDPSession(page)
        await page.goto(`${gateway.url}/console/`, { waitUntil: "commit" })
        await area(page, lines).fill("")
        await session.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 })
        const loaded = page.waitForResponse(/TesterPage.*\.js/)
        letThrough()
        await (await loaded).finished()
        await session.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 })
        assert.strictEqual(await area(page, lines).inputValue(), "にほん")
        await session.send("Input.insertText", { text: "日本" })
        await page.locator("textarea[class*='early']").first().waitFor({ state: "detached" })
        assert.strictEqual((await editor(page, lines).innerText()).trim(), "日本")
        await context.close()
      })
    })
  )

  it.effect("shows at once what a link has, and what was kept", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { context, page } = await heldBack(browser, gateway.url)
        const bytes = await new Response(
          new Blob([JSON.stringify({ operator: "dissect", samples: "a b", texts: { dissect: "%{linked} %{x}" } })])
            .stream()
            .pipeThrough(new CompressionStream("deflate-raw"))
        ).arrayBuffer()
        await page.goto(`${gateway.url}/console/#t=${Buffer.from(bytes).toString("base64url")}`, {
          waitUntil: "commit"
        })
        const dissect = page.getByRole("textbox", { name: /^Dissect patterns/ })
        assert.strictEqual(await dissect.inputValue(), "%{linked} %{x}")
        await dissect.focus()
        await page.keyboard.type("!")
        await page.goto("about:blank")
        await page.goto(`${gateway.url}/console/`, { waitUntil: "commit" })
        assert.strictEqual(await dissect.inputValue(), "!%{linked} %{x}")
        await context.close()
      })
    })
  )

  it.effect("says that the rest cannot be loaded, and keeps what was typed", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { context, page } = await heldBack(browser, gateway.url)
        await page.route(/\/assets\/(main|TesterPage)/, (route) => route.abort())
        await page.goto(`${gateway.url}/console/`, { waitUntil: "commit" })
        await page.getByRole("status").getByText("The gateway does not answer").waitFor()
        await area(page, lines).fill("while it is away")
        await page.unroute(/\/assets\/(main|TesterPage)/)
        await page.unroute(/\/assets\//)
        await page.getByRole("button", { name: "Load again" }).click()
        await page.locator("textarea[class*='early']").first().waitFor({ state: "detached" })
        assert.strictEqual((await editor(page, lines).innerText()).trim(), "while it is away")
        await context.close()
      })
    })
  )

  for (const [name, options] of [
    ["a wide window", {}],
    ["a narrow window", { viewport: { width: 390, height: 800 } }]
  ] as const) {
    it.effect(`moves nothing by itself, in ${name}`, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        yield* Effect.promise(async () => {
          const { context, page, letThrough } = await heldBack(browser, gateway.url, options)
          await page.goto(`${gateway.url}/`, { waitUntil: "commit" })
          await area(page, patterns).waitFor()
          const places = await placesOf(page)
          letThrough()
          await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
          assert.deepStrictEqual(await shiftsOf(page), [])
          // The new editors are in the same places as the old ones.
          assert.deepStrictEqual(await placesOf(page), places)
          // The tenant and the typed text are known now: several patterns, a warning.
          await area(page, patterns).or(editor(page, patterns)).focus()
          await page.keyboard.press("ControlOrMeta+a")
          await page.keyboard.insertText("%{WORD:a} never\n%{GREEDYDATA:all}")
          await rate(page).filter({ hasText: "4 of 4 lines match" }).waitFor()
          await page.reload()
          await rate(page).filter({ hasText: "4 of 4 lines match" }).waitFor()
          assert.deepStrictEqual(await shiftsOf(page), [])
          await context.close()
        })
      })
    )
  }
})
