import { assert, layer } from "@effect/vitest"
import type { Page, Route } from "playwright-core"
import { found, index, table, write } from "./documents.ts"
import { consoleOf } from "./pages.ts"
import { soon, visit } from "./support.ts"

const timeOf = (at: number) => new Date(Date.UTC(2026, 0, 31) - at * 1000).toISOString()

/** Runs as the gateway lists them, the newest first. */
const runs = Array.from({ length: 450 }, (_, at) => ({
  ...{ id: `run-${at}`, flowlineId: "flow", state: "SUCCEEDED", event: "stream.application.end", tenant: "mytenant" },
  ...{ outcome: "ok", duration: 119_700, createdAt: timeOf(at), timestamp: timeOf(at) }
}))

const flowlines = (names: ReadonlyArray<string>) =>
  names.map((name, at) => ({ id: `id-${at}`, version: 1, "@timestamp": timeOf(at), flowline: { name, dag: [] } }))

const broken = (route: Route) =>
  route.fulfill({
    status: 500,
    contentType: "application/problem+json",
    json: { type: "/problems/internal-error", status: 500, title: "Internal error", detail: "It broke" }
  })

/** Answers the list of runs from {@link runs}; while `failing` returns true, older runs cannot be read. */
const listRuns = (page: Page, failing: (route: Route) => Promise<void> | undefined) =>
  page.route(/\/flowline\/executions\?/, async (route) => {
    const to = new URL(route.request().url()).searchParams.get("to")
    if (to !== null) {
      const refused = failing(route)
      if (refused !== undefined) return refused
    }
    const found = runs.filter(({ createdAt }) => to === null || createdAt < to)
    return route.fulfill({ json: found.slice(0, 200) })
  })

layer(consoleOf(), { excludeTestServices: true })("a long list", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  inPage("of runs goes on after older ones could not be read", "channels", async (page) => {
    let answer: "broken" | "away" | undefined = "broken"
    await listRuns(page, (route) =>
      answer === "broken" ? broken(route) : answer === "away" ? route.abort() : undefined
    )
    await page.getByRole("link", { name: "Runs" }).click()
    await page.getByText("The newest 200 runs").waitFor()
    await page.getByRole("grid").focus()
    await page.keyboard.press("End")
    await page.getByRole("alert").getByText("It broke").waitFor()
    answer = undefined
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("The newest 399 runs").waitFor()
    await page.getByRole("alert").waitFor({ state: "detached" })
    answer = "away"
    await page.getByRole("grid").focus()
    await page.keyboard.press("End")
    await page.getByRole("alert").getByText("The gateway does not answer").waitFor()
    answer = undefined
    // Without any user action.
    await page.getByText("450 runs, the newest first").waitFor()
    await page.getByRole("alert").waitFor({ state: "detached" })
  })

  inPage("of documents goes on after further ones could not be read", "search", async (page, url) => {
    await write(
      url,
      index,
      Array.from({ length: 300 }, (_, at) => ({ id: `${at}`, "@timestamp": timeOf(at), at }))
    )
    let isBroken = true
    await page.route(/\/search$/, (route) =>
      isBroken && route.request().postData()?.includes('"cursor"') ? broken(route) : route.continue()
    )
    await page.reload()
    await found(page, "300 documents, of which 200 are loaded")
    await table(page).focus()
    await page.keyboard.press("End")
    await page.getByRole("alert").getByText("It broke").waitFor()
    const refreshed = page.waitForResponse(/\/search$/)
    await page.getByRole("button", { name: "Refresh" }).click()
    await page.getByRole("alert").waitFor({ state: "detached" })
    await refreshed
    await found(page, /^300 documents, of which 200 are loaded$/)
    await table(page).focus()
    await page.keyboard.press("Home")
    await table(page).locator('[aria-rowindex="2"]').waitFor()
    await page.keyboard.press("End")
    await page.getByRole("alert").getByText("It broke").waitFor()
    isBroken = false
    await page.getByRole("button", { name: "Try again" }).click()
    await found(page, /^300 documents$/)
    await page.getByRole("alert").waitFor({ state: "detached" })
  })

  inPage("of archives is asked for less often than a short one", "channels", async (page, url) => {
    let count = 20_000
    let asked = 0
    await page.route(/\/v1\/mytenant\/archives$/, (route) => {
      asked += 1
      const archives = Array.from({ length: count }, (_, at) => ({
        ...{
          id: `archive-${at}`,
          flowlineId: "id-0",
          sha256: "0".repeat(64),
          size: 1,
          entries: 1,
          createdAt: timeOf(at)
        }
      }))
      return route.fulfill({ json: archives })
    })
    await page.route(/\/v1\/mytenant\/flowline$/, (route) => route.fulfill({ json: flowlines(["a"]) }))
    await page.clock.install()
    await page.goto(`${url}/console/runs?view=archives`)
    await page.getByText("20,000 archives").waitFor()
    assert.strictEqual(asked, 1)
    for (let second = 0; second < 19; second++) {
      await page.clock.runFor(1000)
      // A question that was due has been asked before this one.
      await page.evaluate(() => fetch(location.href))
    }
    assert.strictEqual(asked, 1)
    count = 3
    await page.clock.runFor(2_000)
    await page.getByText("3 archives").waitFor()
    assert.strictEqual(asked, 2)
    await page.clock.runFor(6_000)
    await soon(async () => assert.strictEqual(asked, 3))
  })

  inPage("of names is sorted, and not read again for each run of a file", "channels", async (page, url) => {
    let asked = 0
    let run = 0
    await page.route(/\/v1\/mytenant\/flowline$/, (route) => {
      asked += 1
      const names = ["shop 10", "Zoo", "apples", "shop 9"]
      return route.fulfill({ json: flowlines([...names, ...Array.from({ length: 30_000 }, (_, at) => `zz ${at}`)]) })
    })
    // A run of another file at each look.
    await page.route(/\/flowline\/executions\?/, (route) =>
      route.fulfill({ json: [{ ...runs[0], id: `run-${run}`, flowlineId: `file-${run++}` }] })
    )
    await page.clock.install()
    await page.goto(`${url}/console/runs`)
    const options = page.getByLabel("Flowline").locator("option")
    await options.filter({ hasText: "apples" }).waitFor({ state: "attached" })
    assert.deepStrictEqual((await options.allTextContents()).slice(0, 5), ["any", "apples", "shop 9", "shop 10", "Zoo"])
    const before = asked
    for (let look = 0; look < 10; look++) {
      await page.clock.runFor(2100)
      await page
        .getByRole("row")
        .filter({ hasText: `file-${run - 1}` })
        .waitFor()
    }
    assert.strictEqual(asked, before)
    await page.clock.runFor(15_000)
    await soon(async () => assert.strictEqual(asked, before + 1))
  })
})
