import { assert, layer } from "@effect/vitest"
import type { BrowserContextOptions, Page } from "playwright-core"
import { few, frameTime, mostTimes } from "./frames.ts"
import { Console, editor, escape, isWide, rate, soon, violations, visit } from "./support.ts"

/** The pages of the navigation: their titles and addresses. */
const pagesOf = async (page: Page): Promise<ReadonlyArray<readonly [title: string, href: string]>> =>
  page
    .locator("header nav a")
    .evaluateAll((links) => links.map((link) => [link.textContent ?? "", (link as HTMLAnchorElement).href] as const))

const shown = async (page: Page): Promise<void> => {
  await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor()
  await page.locator("textarea[class*='early']").first().waitFor({ state: "detached" })
  await page.waitForLoadState("networkidle")
}

layer(Console.layer, { excludeTestServices: true })("the frame", (it) => {
  const inPage = (
    name: string,
    run: (page: Page, url: string) => Promise<void>,
    path = "",
    options: BrowserContextOptions = {}
  ) => it.effect(name, () => visit(path, run, options))

  for (const [name, options] of [
    ["dark colours", { colorScheme: "dark" }],
    ["the colours of the system", { forcedColors: "active" }],
    ["a window that is zoomed twice", { viewport: { width: 640, height: 430 } }],
    ["a window that is zoomed four times", { viewport: { width: 320, height: 256 } }]
  ] as const) {
    inPage(
      `shows every page in ${name}, without a fault that axe knows`,
      async (page) => {
        for (const [title, href] of await pagesOf(page)) {
          await page.goto(href)
          await shown(page)
          assert.deepStrictEqual([title, await violations(page)], [title, []])
          assert.deepStrictEqual([title, await isWide(page)], [title, false])
        }
      },
      "",
      options
    )
  }

  inPage(
    "shows what is chosen by lines where the system takes the colours away",
    async (page) => {
      const outline = (name: string) =>
        page.getByRole("link", { name, exact: true }).evaluate((link) => getComputedStyle(link).outlineStyle)
      assert.strictEqual(await outline("Tester"), "solid")
      assert.strictEqual(await outline("Administration"), "none")
    },
    "",
    { forcedColors: "active" }
  )

  inPage(
    "moves nothing for those who do not want that",
    async (page) => {
      const moving = await page.evaluate(
        () =>
          [...document.querySelectorAll("*")].filter((one) => {
            const { animationName, transitionDuration } = getComputedStyle(one)
            return animationName !== "none" || Number.parseFloat(transitionDuration) > 0
          }).length
      )
      assert.strictEqual(moving, 0)
    },
    "",
    { reducedMotion: "reduce" }
  )

  inPage("names each page, tells of it, and lets the keyboard go on from its content", async (page) => {
    assert.strictEqual(await page.evaluate(() => document.documentElement.lang), "en")
    await soon(async () => assert.strictEqual(await page.title(), "Tester · Flow Gateway"))
    // The focus does not move after the first load.
    assert.strictEqual(await page.evaluate(() => document.activeElement?.tagName), "BODY")
    await page.getByRole("link", { name: "Administration" }).focus()
    await page.keyboard.press("Enter")
    await page.getByRole("status").getByText("Administration · Flow Gateway").waitFor({ state: "attached" })
    await soon(async () => assert.match(await page.title(), /Administration · Flow Gateway$/))
    await soon(async () => assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "main"))
    await page.getByRole("main").getByRole("link", { name: "Gateways" }).waitFor()
    await page.keyboard.press("Tab")
    await page.getByRole("main").locator(":focus").waitFor()
    // Another view of the same page leaves the focus on its link.
    await page.getByRole("link", { name: "Gateways" }).focus()
    await page.keyboard.press("Enter")
    await page.getByText("Storage of blobs").waitFor()
    await soon(async () =>
      assert.strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Gateways")
    )
    await soon(async () => assert.strictEqual(await page.title(), "Gateways · Administration · Flow Gateway"))
    await page.goBack()
    await page.goBack()
    await page.getByRole("button", { name: "Pattern bank" }).waitFor()
    await soon(async () => assert.strictEqual(await page.title(), "Tester · Flow Gateway"))
    await soon(async () => assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "main"))
  })

  inPage("goes through its controls in the order in which they are seen", async (page) => {
    // The whole page is present.
    await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
    await page.evaluate(() => document.body.focus())
    const seen: Array<{ readonly name: string; readonly isHeader: boolean; readonly x: number; readonly y: number }> =
      []
    for (let step = 0; step < 18; step++) {
      await page.keyboard.press("Tab")
      seen.push(
        await page.evaluate(() => {
          const { activeElement: at } = document
          const { x, y } = at!.getBoundingClientRect()
          return { name: at!.textContent ?? "", isHeader: at!.closest("header") !== null, x, y }
        })
      )
    }
    assert.strictEqual(seen[0]!.name, "Skip to content")
    const header = seen.filter(({ isHeader }) => isHeader)
    assert.isAbove(header.length, 3)
    assert.deepStrictEqual(
      header.map(({ x }) => x),
      header.map(({ x }) => x).sort((one, other) => one - other)
    )
    assert.isFalse(seen.at(-1)!.isHeader)
  })

  inPage("tells the keys of the page", async (page) => {
    await page.locator("body").press("?")
    const dialog = page.getByRole("dialog", { name: "Keys" })
    await dialog.getByText("completes names of the bank").waitFor()
    await dialog.getByText("closes a dialog or a menu").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await escape(page, dialog)
    // In a text field the key is a character.
    await editor(page, /^Grok patterns/).focus()
    await page.keyboard.press("?")
    await soon(async () => assert.include(await editor(page, /^Grok patterns/).innerText(), "?"))
    assert.strictEqual(await dialog.count(), 0)
    await page.getByRole("link", { name: "Administration" }).click()
    await page.getByRole("link", { name: "Gateways" }).click()
    await page.getByRole("row").filter({ hasText: "answers you" }).waitFor()
    await page.getByRole("button", { name: "Keys" }).click()
    await dialog.getByText("go from row to row of a table").waitFor()
    assert.strictEqual(await dialog.getByText("completes names of the bank").count(), 0)
  })

  inPage(
    "has the pages in a menu where the window is narrow",
    async (page) => {
      const menu = page.getByRole("button", { name: /all pages/ })
      const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link")
      assert.strictEqual(await links.filter({ visible: true }).count(), 0)
      await menu.focus()
      await page.keyboard.press("Enter")
      await links.filter({ hasText: "Administration" }).waitFor()
      assert.deepStrictEqual(await violations(page), [])
      await page.keyboard.press("Escape")
      await links.filter({ hasText: "Administration" }).waitFor({ state: "hidden" })
      await menu.and(page.locator(":focus")).waitFor()
      await page.keyboard.press("Enter")
      await links.filter({ hasText: "Administration" }).click()
      await page.getByRole("heading", { name: "Administration", level: 1 }).waitFor()
      await links.filter({ hasText: "Administration" }).waitFor({ state: "hidden" })
    },
    "",
    { viewport: { width: 390, height: 700 } }
  )

  inPage("scrolls through ten thousand rows, and draws in each frame only those that come", async (page) => {
    const count = 10_000
    const rows = Array.from({ length: count }, (_, at) => ({
      ...{
        seq: count - at,
        time: new Date(1.7e12 - at * 1000).toISOString(),
        tenant: "mytenant",
        principal: "user:ann"
      },
      ...{
        method: "basic",
        action: "flowlines.save",
        target: `flowline ${at}`,
        outcome: "done",
        status: null,
        count: 1
      },
      ...{ requestId: "r", remote: null, before: null, after: null, previous: "0", hash: "1" }
    }))
    let given = few
    await page.route(/\/v1\/.*\/audit\?/, (route) => route.fulfill({ json: rows.slice(0, given) }))
    // A cell with a time is formatted twice at each rendering.
    await page.addInitScript(() => {
      const own = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format")!.get!
      Object.assign(globalThis, { drawn: 0 })
      Object.defineProperty(Intl.DateTimeFormat.prototype, "format", {
        get(this: Intl.DateTimeFormat) {
          globalThis.drawn++
          return own.call(this)
        }
      })
    })
    await page.goto(page.url().replace(/\/console\/.*/, "/console/admin/audit"))
    const grid = page.getByRole("grid", { name: "Audit" })
    await grid.getByText("flowline 3", { exact: true }).waitFor()
    const short = await frameTime(page, grid, 102)
    given = count
    await page.reload()
    await grid.getByText("flowline 3", { exact: true }).waitFor()
    assert.strictEqual(await grid.getAttribute("aria-rowcount"), String(count + 1))
    const frames = await grid.evaluate(async (element) => {
      const next = () => new Promise((done) => requestAnimationFrame(done))
      const found: Array<{ added: number; drawn: number; there: number }> = []
      let added = 0
      const observer = new MutationObserver((changes) => {
        for (const { addedNodes } of changes) added += addedNodes.length
      })
      observer.observe(element.querySelector("[role=rowgroup]")!, { childList: true })
      for (let frame = 0; frame < 120; frame++) {
        added = 0
        globalThis.drawn = 0
        // Three rows per frame: 6,000 pixels per second.
        element.scrollTop += 102
        await next()
        await next()
        found.push({ added, drawn: globalThis.drawn, there: element.querySelectorAll("[role=row]").length })
      }
      observer.disconnect()
      return found
    })
    const before = await grid.evaluate((element) => element.scrollTop)
    const long = await frameTime(page, grid, 102)
    assert.isAtLeast(await grid.evaluate((element) => element.scrollTop), before + 100 * 102)
    assert.isAbove(short, 0)
    assert.isBelow(long, mostTimes * short)
    for (const { added, drawn, there } of frames) {
      assert.isAtMost(added, 8)
      assert.isAtMost(drawn, 4 * Math.max(added, 1))
      assert.isBelow(there, 60)
    }
    assert.isAbove(
      frames.reduce((sum, { added }) => sum + added, 0),
      200
    )
    // Jumps anywhere and back, by keyboard.
    await grid.focus()
    await page.keyboard.press("End")
    await grid.getByText(`flowline ${count - 1}`, { exact: true }).waitFor()
    await page.keyboard.press("Home")
    await grid.getByText("flowline 0", { exact: true }).waitFor()
  })
})
