import { assert, layer } from "@effect/vitest"
import type { Page } from "playwright-core"
import { Console, soon, visit } from "./support.ts"

/** Holds back the answers from these addresses until they are released. */
const held = async (page: Page, address: RegExp) => {
  let release = () => {}
  const isFree = new Promise<void>((done) => {
    release = done
  })
  let tell = () => {}
  const isAsked = new Promise<void>((done) => {
    tell = done
  })
  await page.route(address, async (route) => {
    tell()
    await isFree
    return route.fallback().catch(() => {})
  })
  return { isAsked, release: () => release() }
}

/** Two folders to which runs write: only the first has files. */
const withRoots = async (page: Page) => {
  const name = (root: string) => ({ name: root, kind: "data", writable: true, path: `/${root}` })
  await page.route(/\/v1\/mytenant\/roots/, (route) => route.fulfill({ json: [name("data"), name("other")] }))
  await page.route(/\/v1\/mytenant\/files(\?|$)/, (route) =>
    route.request().url().includes("root=other")
      ? route.fulfill({
          status: 503,
          contentType: "application/problem+json",
          json: { type: "/problems/overloaded", status: 503, title: "Overloaded", detail: "Too much to do" }
        })
      : route.fulfill({ json: [{ path: "same.txt", size: 1, modifiedAt: new Date(0).toISOString() }] })
  )
}

layer(Console.layer, { excludeTestServices: true })("what belonged to the former address", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  inPage(
    "is not offered as files of another folder, while it loads and if it cannot be read",
    "",
    async (page, url) => {
      await withRoots(page)
      await page.goto(`${url}/console/runs?view=files`)
      const row = page.getByRole("row").filter({ hasText: "same.txt" })
      await row.waitFor()
      const { isAsked, release } = await held(page, /\/files\?root=other/)
      await page.getByRole("combobox", { name: "Folder" }).selectOption("other")
      await isAsked
      await row.waitFor({ state: "detached" })
      release()
      await page.getByRole("alert").filter({ hasText: "Too much to do" }).waitFor()
      assert.strictEqual(await row.count(), 0)
    }
  )

  inPage("is what an open dialog removes", "", async (page, url) => {
    await withRoots(page)
    await page.goto(`${url}/console/runs?view=files`)
    const removed = page.waitForRequest((request) => request.method() === "DELETE")
    await page.route(/\/files\/same.txt/, (route) => route.fulfill({ status: 204 }))
    await page.getByRole("button", { name: "Delete same.txt" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.waitFor()
    await page.evaluate(() => {
      history.replaceState(null, "", "?view=files&root=other")
      dispatchEvent(new PopStateEvent("popstate"))
    })
    await page.locator("[role=alert]").filter({ hasText: "Too much to do" }).waitFor()
    await dialog.getByRole("button", { name: "Delete" }).click()
    assert.notInclude((await removed).url(), "root=")
  })

  inPage("does not name a page of the guide that is loading or missing", "guide/documentation", async (page, url) => {
    const article = page.getByRole("article")
    await article.getByRole("heading", { name: "mytenant" }).first().waitFor()
    await soon(async () => assert.strictEqual(await page.title(), "mytenant · Guide · Flow Gateway"))
    const { isAsked, release } = await held(page, /\/v1\/mytenant\/documentation\/glossary/)
    await page.getByRole("link", { name: "Glossary" }).click()
    await isAsked
    await soon(async () => assert.strictEqual(await page.title(), "Guide · Flow Gateway"))
    assert.strictEqual(await article.getByRole("heading").count(), 0)
    release()
    await article.getByRole("heading", { name: "Glossary" }).first().waitFor()
    await page.evaluate((address) => {
      history.pushState(null, "", address)
      dispatchEvent(new PopStateEvent("popstate"))
    }, `${url}/console/guide/documentation/none.md`)
    await article.getByRole("alert").waitFor()
    await soon(async () => assert.strictEqual(await page.title(), "Guide · Flow Gateway"))
    assert.strictEqual(await article.getByRole("heading").count(), 0)
  })
})
