import { assert, layer } from "@effect/vitest"
import { Console, soon, visit } from "./support.ts"

/** Views of lists and of single things, below the console. */
const views = [
  ...["flowlines", "flowlines/none", "flowlines/none/versions", "flowlines/none/schedules"],
  ...["runs", "runs/none/none", "runs/none/none?view=archive", "runs?view=archives", "runs?view=files"],
  ...["channels", "channels/none", "channels/none?view=files", "search", "search?view=indices"],
  ...["data/artifacts", "data/artifacts/none/none", "data/registry", "data/resources", "data/files"],
  ...["guide/documentation", "guide/configuration", "guide/platform"],
  ...["admin/limits", "admin/keys", "admin/secrets", "admin/audit", "admin/gateways", "admin/retention"]
]

layer(Console.layer, { excludeTestServices: true })("a page without what it is to show", (it) => {
  it.effect("says why its question has failed, and not that an answer is on its way", () =>
    visit("", async (page, url) => {
      const problem = { type: "/problems/gateway-timeout", status: 504, detail: "The database did not answer in time" }
      await page.route(/\/v1\//, (route) =>
        route.fulfill({ status: 504, contentType: "application/problem+json", body: JSON.stringify(problem) })
      )
      for (const view of views) {
        await page.goto(`${url}/console/${view}`)
        await page.getByRole("alert").filter({ hasText: problem.detail }).first().waitFor()
        // A view may ask more than one question.
        await soon(async () => {
          const isLoading = await page.getByRole("main").getByText("Loading…").count()
          assert.deepStrictEqual([view, isLoading], [view, 0])
        })
      }
    })
  )

  it.effect("at an address of no view says that there is no such page", () =>
    visit("", async (page, url) => {
      const others = ["runs/archives", "runs/a/b/c", "flowlines/a/b", "channels/a/b", "data/a", "guide/a", "admin/a"]
      for (const address of others) {
        await page.goto(`${url}/console/${address}`)
        await page.getByRole("main").getByText("There is no such page").waitFor()
      }
    })
  )
})
