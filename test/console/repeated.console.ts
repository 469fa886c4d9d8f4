import { assert, layer } from "@effect/vitest"
import type { Page } from "playwright-core"
import type { FlowGateway } from "../../packages/client/src/promise.ts"
import { documentAt, found, index, write } from "./documents.ts"
import { ended, openRuns, orders, save, start, tenant, withGateway } from "./runs.ts"
import { Console, open } from "./support.ts"

/** Loses the answer to the next of these requests, which the gateway has done. */
const loseAnswer = async (page: Page, address: RegExp): Promise<{ readonly lost: Promise<void> }> => {
  let tell = () => {}
  const lost = new Promise<void>((done) => {
    tell = done
  })
  let isLost = false
  await page.route(address, async (route) => {
    if (isLost || route.request().method() !== "POST") return route.continue()
    isLost = true
    await route.fetch()
    await route.abort()
    tell()
  })
  return { lost }
}

const runsOf = async (api: FlowGateway): Promise<number> =>
  (await api.executions.list({ params: { tenant }, query: {} })).length

layer(Console.layer, { excludeTestServices: true })("what starts something, repeated after a lost answer", (it) => {
  const scenario = (name: string, run: Parameters<typeof withGateway>[0]) => it.effect(name, () => withGateway(run))

  scenario("runs once again, however often it is pressed", async ({ url, api, browser }) => {
    const id = await save(api, orders)
    const first = await start(api, id)
    await ended(api, id, first)
    const before = await runsOf(api)
    const { page } = await openRuns(browser, url, `/${id}/${first}`)
    const button = page.getByRole("button", { name: "Run again" })
    const { lost } = await loseAnswer(page, /\/again$/)
    await button.click()
    await lost
    await page.getByText("The gateway does not answer").first().waitFor()
    await button.click()
    const left = (address: URL) => !address.pathname.endsWith(first)
    await page.waitForURL(left)
    assert.strictEqual(await runsOf(api), before + 1)
    await page.goBack()
    await button.dblclick()
    await page.waitForURL(left)
    // The second press would have been sent before the first one was answered.
    assert.strictEqual(await runsOf(api), before + 2)
    await page.context().close()
  })

  scenario("runs once with other parameters", async ({ url, api, browser }) => {
    const id = await save(api, orders)
    const first = await start(api, id)
    await ended(api, id, first)
    const before = await runsOf(api)
    const { page } = await openRuns(browser, url, `/${id}/${first}`)
    await page.getByRole("button", { name: "Run with other parameters" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel(/^least/).fill("2")
    const { lost } = await loseAnswer(page, new RegExp(`/flowline/${id}\\?`))
    const button = dialog.getByRole("button", { name: "Run", exact: true })
    await button.click()
    await lost
    await dialog.getByRole("alert").waitFor()
    await button.click()
    await page.waitForURL((address) => !address.pathname.endsWith(first))
    assert.strictEqual(await runsOf(api), before + 1)
    await page.context().close()
  })

  scenario("extracts once", async ({ url, api, browser }) => {
    await write(
      url,
      index,
      Array.from({ length: 10 }, (_, at) => documentAt(at))
    )
    const before = await runsOf(api)
    const { page } = await open(browser, `${url}/console/search`)
    await found(page, /documents/)
    await page.getByRole("button", { name: "Save as a file" }).click()
    const dialog = page.getByRole("dialog", { name: "Save as a file" })
    const { lost } = await loseAnswer(page, /\/extraction$/)
    const button = dialog.getByRole("button", { name: "Save", exact: true })
    await button.click()
    await lost
    await dialog.getByRole("alert").waitFor()
    await button.click()
    await dialog.waitFor({ state: "detached" })
    assert.strictEqual(await runsOf(api), before + 1)
    await page.context().close()
  })
})
