import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Route } from "playwright-core"
import { connect } from "../../packages/client/src/promise.ts"
import { boxOf, execute, flowline, problems, saved } from "./flowlinePages.ts"
import { ended } from "./runs.ts"
import { Console, listen, rate } from "./support.ts"

const unreachable = (route: Route) =>
  route.fulfill({
    status: 504,
    contentType: "application/problem+json",
    json: { type: "/problems/storage-unreachable", status: 504, title: "Away", detail: "The database does not answer" }
  })

const overloaded = (route: Route) =>
  route.fulfill({
    status: 503,
    contentType: "application/problem+json",
    json: { type: "/problems/overloaded", status: 503, title: "Overloaded", detail: "Too much to do" }
  })

layer(Console.layer, { excludeTestServices: true })("a gateway that cannot answer for a moment", (it) => {
  /** Opens the page while these addresses are not answered. */
  const opened = (
    name: string,
    path: (url: string) => Promise<string>,
    failing: RegExp,
    fail: (route: Route) => Promise<void>,
    run: (page: Page, recover: () => void) => Promise<void>
  ) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        yield* Effect.promise(async () => {
          const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage()
          const complaints: Array<string> = []
          listen(page, complaints)
          let isDown = true
          await page.route(failing, (route) => (isDown ? fail(route) : route.continue()))
          await page.goto(`${gateway.url}/console/${await path(gateway.url)}`)
          await run(page, () => {
            isDown = false
          })
          assert.deepStrictEqual(complaints, [])
          await page.context().close()
        })
      })
    )
  const fixed = (path: string) => async () => path

  opened("tests the patterns when it can", fixed(""), /\/v1\/flower\/grok/, overloaded, async (page, recover) => {
    await page.getByText("The gateway is busy: trying again…").waitFor()
    recover()
    await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
  })

  opened(
    "says why it cannot test the patterns, if that is no matter of load",
    fixed(""),
    /\/v1\/flower\/grok/,
    unreachable,
    async (page, recover) => {
      const reason = page.getByText("The database does not answer")
      await reason.waitFor()
      await page.getByText("Trying again…").waitFor()
      recover()
      await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
      await reason.waitFor({ state: "detached" })
    }
  )

  opened(
    "checks a flowline when it can",
    fixed("flowlines/new"),
    /\/flowline\/try/,
    unreachable,
    async (page, recover) => {
      await boxOf(page, "parse").waitFor()
      await problems(page).getByText("The database does not answer").waitFor()
      recover()
      await problems(page).getByText("No problems").waitFor()
    }
  )

  opened(
    "shows a first visitor the page when it can",
    fixed("flowlines"),
    /\/v1\//,
    (route) => route.abort("connectionrefused"),
    async (page, recover) => {
      await page.getByText("The gateway does not answer").first().waitFor()
      recover()
      await page.getByText(/^No flowlines yet$|^\d+ flowlines?$/).waitFor()
    }
  )

  opened(
    "names the flowlines of runs when it can",
    async (url) => {
      const id = await saved(url, flowline("named"))
      await ended(connect(url), id, await execute(url, id))
      return "runs"
    },
    /\/v1\/mytenant\/flowline$/,
    unreachable,
    async (page, recover) => {
      await page.getByRole("row").nth(1).waitFor()
      recover()
      await page.getByRole("gridcell", { name: "named", exact: true }).waitFor()
    }
  )

  opened(
    "draws the graph of a run when it is asked again",
    async (url) => {
      const id = await saved(url, flowline("drawn"))
      const run = await execute(url, id)
      await ended(connect(url), id, run)
      return `runs/${id}/${run}`
    },
    /\/v1\/mytenant\/flowline\/[^/]+\?version=1$/,
    unreachable,
    async (page, recover) => {
      await page.getByRole("alert").getByText("The database does not answer").waitFor()
      recover()
      await page.getByRole("button", { name: "Try again" }).click()
      await boxOf(page, "parse").waitFor()
    }
  )
})
