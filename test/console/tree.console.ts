import { assert, layer } from "@effect/vitest"
import type { Locator, Page } from "playwright-core"
import { tenant } from "./data.ts"
import { few, frameTime, mostTimes } from "./frames.ts"
import { at, Console, soon, visit, withoutTenant } from "./support.ts"

/** Opens the files of a root with these files. */
const show = async (page: Page, paths: ReadonlyArray<string>): Promise<Locator> => {
  const files = paths.map((path, at) => ({ path, size: at, modifiedAt: "2026-01-01T12:00:00.000Z" }))
  await page.route(new RegExp(`/v1/${tenant}/files\\?`), (route) => route.fulfill({ json: files }))
  await page.reload()
  await page.getByRole("status").filter({ hasText: "entries" }).waitFor()
  return page.getByRole("treegrid", { name: "Files" })
}

/** The focused element: its role and text, and for a row its level and whether it is expanded. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document
    const [name] = at?.querySelectorAll("[role=rowheader]") ?? []
    return ["role", "aria-level", "aria-expanded"]
      .map((attribute) => at?.getAttribute(attribute))
      .concat((name ?? at)?.textContent ?? "")
  })

/** Waits until the focus is as expected. */
const has = (page: Page, expected: ReadonlyArray<string | null>): Promise<void> =>
  soon(async () => assert.deepStrictEqual<unknown>(await focused(page), expected))

const row = (level: number, text: string, expanded: string | null = null) => ["row", String(level), expanded, text]

layer(Console.layer, { excludeTestServices: true })("a tree of files", (it) => {
  const inPage = (name: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit("data/files", run))

  inPage("is gone through by keys, with the focus on one row", async (page) => {
    const tree = await show(page, ["a/b/deep.txt", "a/last.txt", "c/one.txt", "zebra.txt", "zoo.txt"])
    await tree.getByRole("row", { name: "zoo.txt" }).waitFor()
    const press = async (keys: string, expected: ReadonlyArray<string | null>) => {
      await page.keyboard.press(keys)
      await has(page, expected)
    }
    await page.getByRole("button", { name: "Read again" }).focus()
    await press("Tab", row(1, "▾a 2", "true"))
    await press("ArrowLeft", row(1, "▸a 2", "false"))
    await tree.getByRole("row", { name: "last.txt" }).waitFor({ state: "detached" })
    await press("ArrowRight", row(1, "▾a 2", "true"))
    await press("ArrowDown", row(2, "▾b 1", "true"))
    await press("ArrowDown", row(3, "deep.txt"))
    await press("ArrowLeft", row(2, "▾b 1", "true"))
    await press("End", row(1, "zoo.txt"))
    await press("Home", row(1, "▾a 2", "true"))
    // Letters jump to the next name that starts with them.
    await press("o", row(2, "one.txt"))
    await press("End", row(1, "zoo.txt"))
    await press("ArrowUp", row(1, "zebra.txt"))
    await page.keyboard.press("Enter")
    await page.waitForURL(at(/\/data\/files\/data\/zebra\.txt$/))
    // The focus stays in its place when the tree has become narrower.
    await has(page, row(1, "zebra.txt"))
    await tree.getByRole("row", { name: "zebra.txt", selected: true }).waitFor()
    assert.strictEqual(await tree.getByRole("row", { selected: true }).count(), 1)
    // To the link, which Enter follows once, to the facts beside it, and back.
    await press("ArrowUp", row(2, "one.txt"))
    await press("ArrowRight", [null, null, null, "one.txt"])
    const entries = await page.evaluate(() => history.length)
    await page.keyboard.press("Enter")
    await page.waitForURL(at(/\/data\/files\/data\/c\/one\.txt$/))
    assert.strictEqual(await page.evaluate(() => history.length), entries + 1)
    await press("ArrowRight", ["gridcell", null, null, "2 B"])
    await press("ArrowLeft", [null, null, null, "one.txt"])
    await press("ArrowLeft", row(2, "one.txt"))
    // The tree is one tab stop.
    await page.keyboard.press("Tab")
    await tree.locator(":focus").waitFor({ state: "detached" })
    await page.keyboard.press("Shift+Tab")
    await has(page, row(2, "one.txt"))
    // The next reader's focus is on the open file.
    await page.reload()
    await tree.getByRole("row", { name: "zoo.txt" }).waitFor()
    await page.getByRole("button", { name: "Read again" }).focus()
    await press("Tab", row(2, "one.txt"))
  })

  inPage("has real links, and rows that lead there, too", async (page) => {
    const tree = await show(page, ["a/b.txt", "c.txt"])
    const link = tree.getByRole("link", { name: "b.txt" })
    assert.match(withoutTenant((await link.getAttribute("href")) ?? ""), /\/console\/data\/files\/data\/a\/b\.txt$/)
    const entries = () => page.evaluate(() => history.length)
    const first = await entries()
    for (const click of [() => link.click({ button: "middle" }), () => link.click({ modifiers: ["ControlOrMeta"] })]) {
      const opened = page.context().waitForEvent("page")
      await click()
      const other = await opened
      await other.waitForURL(at(/\/data\/files\/data\/a\/b\.txt$/), { waitUntil: "commit" })
      await other.close()
    }
    assert.match(withoutTenant(page.url()), /\/data\/files$/)
    await link.click()
    await page.waitForURL(at(/\/a\/b\.txt$/))
    await tree.getByRole("row", { name: "c.txt" }).getByRole("gridcell").first().click()
    await page.waitForURL(at(/\/c\.txt$/))
    assert.strictEqual(await entries(), first + 2)
    // A click anywhere on a folder closes it, and another one opens it.
    const folder = tree.getByRole("row", { name: "a 1" })
    await folder.getByText("a").click()
    await link.waitFor({ state: "detached" })
    await folder.getByRole("gridcell").first().click()
    await link.waitFor()
    assert.strictEqual(await entries(), first + 2)
  })

  inPage("draws only the visible ones of ten thousand files, as quickly as of few", async (page) => {
    const showMany = async (count: number): Promise<Locator> => {
      const tree = await show(
        page,
        Array.from({ length: count }, (_, at) => `many/file-${at}.txt`)
      )
      const folder = tree.getByRole("row", { name: `many ${count.toLocaleString("en")}` })
      await folder.waitFor()
      assert.strictEqual(await folder.getAttribute("aria-expanded"), "false")
      await folder.click()
      await tree.getByRole("link", { name: "file-0.txt" }).waitFor()
      return tree
    }
    const short = await frameTime(page, await showMany(few), 90)
    const tree = await showMany(10_000)
    const long = await frameTime(page, tree, 90)
    assert.isAbove(short, 0)
    assert.isBelow(long, mostTimes * short)
    // The last part may still be loading.
    await soon(async () => assert.strictEqual(await tree.evaluate((element) => element.scrollTop), 120 * 90))
    assert.isBelow(await tree.getByRole("row").count(), 60)
    // A click right after scrolling opens the row under it, and nothing moves.
    const before = (await tree.evaluate((element) => element.scrollTop)) + 300
    await page.mouse.wheel(0, 300)
    await page.waitForFunction((top) => document.querySelector("[role=treegrid]")?.scrollTop === top, before)
    await tree.getByRole("link", { name: "file-380.txt" }).waitFor()
    await tree.getByRole("link", { name: "file-380.txt" }).click()
    await page.waitForURL(at(/\/many\/file-380\.txt$/))
    await tree.getByRole("row", { name: "file-380.txt", selected: true }).waitFor()
    assert.strictEqual(await tree.evaluate((element) => element.scrollTop), before)
    // Jumps anywhere, and back.
    await page.getByRole("button", { name: "Read again" }).focus()
    await page.keyboard.press("Tab")
    await has(page, [null, null, null, "file-380.txt"])
    await page.keyboard.press("ArrowLeft")
    await has(page, row(2, "file-380.txt"))
    await page.keyboard.press("End")
    await has(page, row(2, "file-9999.txt"))
    await tree.getByRole("link", { name: "file-9999.txt" }).waitFor()
    assert.isBelow(await tree.getByRole("row").count(), 60)
    await page.keyboard.press("Home")
    await tree.getByRole("link", { name: "file-0.txt" }).waitFor()
    await has(page, row(1, "▾many 10,000", "true"))
    // Letters are of one name when they follow within a second, which a slow machine does not promise.
    await soon(async () => {
      await page.keyboard.press("Home")
      await page.keyboard.type("file-77")
      assert.deepStrictEqual<unknown>(await focused(page), row(2, "file-77.txt"))
    })
  })
})
