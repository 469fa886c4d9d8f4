import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BrowserContext, Page } from "playwright-core"
import { connect } from "../../packages/client/src/promise.ts"
import { cursorBehind, text } from "./flowlinePages.ts"
import { Console } from "./support.ts"

const tenantOf = (page: Page, name: string) => page.getByRole("button", { name: `Tenant ${name}` })

const choose = async (page: Page, name: string) => {
  await page.getByRole("button", { name: /^Tenant/ }).click()
  await page.getByRole("dialog", { name: "Tenant" }).getByRole("button", { name }).click()
  await tenantOf(page, name).waitFor()
}

const opened = async (context: BrowserContext, address: string, tenant: string): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(address)
  await tenantOf(page, tenant).waitFor()
  return page
}

layer(Console.layer, { excludeTestServices: true })("the tenant", (it) => {
  const scenario = (name: string, run: (context: BrowserContext, url: string) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        yield* Effect.promise(async () => {
          const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
          await run(context, gateway.url)
          await context.close()
        })
      })
    )

  scenario("of a tab stays when another tab chooses another one", async (context, url) => {
    const page = await opened(context, `${url}/console/flowlines/new`, "mytenant")
    await cursorBehind(page, "name: first-steps")
    await page.keyboard.type("-of-mine")
    const other = await opened(context, `${url}/console/runs`, "mytenant")
    await choose(other, "othertenant")
    await page.keyboard.type("-alone")
    await page.keyboard.press("ControlOrMeta+s")
    await page.waitForURL(/\/flowlines\/(?!new)/)
    const api = connect(url)
    const nameOf = ({ flowline }: { readonly flowline: { readonly name?: string | undefined } }) => flowline.name
    const mine = await api.flowlines.list({ params: { tenant: "mytenant" }, query: {} })
    assert.include(mine.map(nameOf), "first-steps-of-mine-alone")
    assert.deepStrictEqual(await api.flowlines.list({ params: { tenant: "othertenant" }, query: {} }), [])
    for (const [tab, tenant] of [
      [page, "mytenant"],
      [other, "othertenant"]
    ] as const) {
      await tab.reload()
      await tenantOf(tab, tenant).waitFor()
    }
  })

  scenario("of a new tab is that of the tab whose link it was opened by", async (context, url) => {
    const page = await opened(context, `${url}/console/runs`, "mytenant")
    const other = await opened(context, `${url}/console/runs`, "mytenant")
    await choose(other, "othertenant")
    for (const [tab, tenant] of [
      [page, "mytenant"],
      [other, "othertenant"]
    ] as const) {
      const made = context.waitForEvent("page")
      await tab.getByRole("link", { name: "Flowlines", exact: true }).click({ modifiers: ["ControlOrMeta"] })
      await tenantOf(await made, tenant).waitFor()
    }
  })

  scenario("that is chosen does not get what was typed for another one", async (context, url) => {
    const page = await opened(context, `${url}/console/flowlines/new`, "mytenant")
    await cursorBehind(page, "name: first-steps")
    await page.keyboard.type("-typed")
    await choose(page, "othertenant")
    await text(page).getByText("name: first-steps").waitFor()
    await text(page).getByText("-typed").waitFor({ state: "detached" })
    await choose(page, "mytenant")
    await text(page).getByText("name: first-steps-typed").waitFor()
  })

  scenario("is named by every address, which leads a reader of another tenant there", async (context, url) => {
    const page = await opened(context, `${url}/console/data/registry?q=a`, "mytenant")
    await page.waitForURL(`${url}/console/data/registry?tenant=mytenant&q=a`)
    await choose(page, "othertenant")
    await page.waitForURL(`${url}/console/data/registry?tenant=othertenant&q=a`)
    // Each page keeps it, whichever way it is opened.
    for (const link of await page.getByRole("navigation").getByRole("link").all()) {
      assert.match((await link.getAttribute("href")) ?? "", /\?tenant=othertenant$/)
    }
    await page.getByRole("link", { name: "Flowlines", exact: true }).click()
    await page.getByRole("link", { name: "New flowline" }).first().click()
    await page.waitForURL(`${url}/console/flowlines/new?tenant=othertenant`)
    const address = page.url()
    const colleague = await opened(context, `${url}/console/runs`, "othertenant")
    await choose(colleague, "mytenant")
    await colleague.goto(address)
    await tenantOf(colleague, "othertenant").waitFor()
    // The tenant that the link named is that of the tab from now on, also for addresses that name none.
    await colleague.goto(`${url}/console/runs`)
    await colleague.waitForURL(`${url}/console/runs?tenant=othertenant`)
    await page.goto(`${url}/console/`)
    await page.waitForURL((now) => now.search === "?tenant=othertenant")
    await choose(page, "mytenant")
    await page.goBack()
    await tenantOf(page, "othertenant").waitFor()
    await page.waitForURL((now) => now.search === "?tenant=othertenant")
  })

  scenario("of an address is a name, and no path of the gateway", async (context, url) => {
    const page = await context.newPage()
    const asked: Array<string> = []
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname))
    await page.goto(`${url}/console/flowlines?tenant=..`)
    await page.getByRole("heading", { name: "You may not see the tenant of this address" }).waitFor()
    assert.deepStrictEqual(
      asked.filter((path) => !path.startsWith("/console/")),
      []
    )
    await page.getByRole("button", { name: "Tenant choose one" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "mytenant" }).click()
    await page.getByRole("heading", { name: "Flowlines", level: 1 }).waitFor()
  })
})
