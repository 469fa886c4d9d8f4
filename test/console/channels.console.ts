import { assert, layer } from "@effect/vitest"
import type { Page } from "playwright-core"
import { eventually } from "../support/process.ts"
import { files, main, markup, state } from "./jobs.ts"
import { clientOf, consoleOf, tenant } from "./pages.ts"
import { at, editor, escape, faultless, soon, violations, visit } from "./support.ts"

layer(consoleOf(files), { excludeTestServices: true })("channels", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  inPage("are listed with their state and why, and invalid ones with their fault", "channels", async (page) => {
    await state(page, "shop").filter({ hasText: "stopped" }).filter({ hasText: "No job is to run." }).waitFor()
    await state(page, "broken").filter({ hasText: "invalid" }).filter({ hasText: "line 2" }).waitFor()
    await page.getByRole("link", { name: "broken" }).click()
    await page.waitForURL(at(/channels\/broken$/))
    await main(page).getByText("/applications/0/runtime").first().waitFor()
    await page.goBack()
    await state(page, "shop").waitFor()
  })

  inPage("are made, started, watched, stopped and deleted by mouse", "channels", async (page) => {
    await page.getByRole("button", { name: "New channel" }).click()
    const dialog = page.getByRole("dialog", { name: "New channel" })
    await dialog.getByLabel("Name").fill("shop")
    await dialog.getByText("There is a channel with this name.").waitFor()
    await dialog.getByLabel("Name").fill("../up")
    await dialog.getByText("begins with a letter or digit").waitFor()
    await dialog.getByLabel("Name").fill("made")
    await dialog.getByRole("button", { name: "Write its files" }).click()
    await page.getByText("This channel is not saved yet").waitFor()
    await page.getByRole("button", { name: "Make the channel" }).click()
    await page.getByText("made is saved").waitFor()
    await page.getByRole("navigation", { name: "made" }).getByRole("link", { name: "Jobs" }).click()
    await state(page, "local/ticks").filter({ hasText: "It was never started." }).waitFor()
    await page.getByRole("button", { name: "Start made", exact: true }).click()
    await state(page, "local/ticks").filter({ hasText: "running" }).filter({ hasText: "active" }).waitFor()
    await page.getByRole("log").getByText(/tick/).first().waitFor()
    await page.getByRole("slider", { name: "Records a second" }).waitFor()
    // A started channel cannot be deleted, and the page gives the reason.
    await page.getByRole("button", { name: "Delete" }).click()
    const confirm = page.getByRole("dialog", { name: "Delete the channel made?" })
    await confirm.getByRole("button", { name: "Delete" }).click()
    await confirm.getByText("The job local/ticks is started: stop the channel first").waitFor()
    await escape(page, confirm)
    await page.getByRole("button", { name: "Stop made", exact: true }).click()
    await state(page, "local/ticks").filter({ hasText: "stopped" }).filter({ hasText: "It was stopped" }).waitFor()
    await page.getByRole("button", { name: "Delete" }).click()
    await confirm.getByRole("button", { name: "Delete" }).click()
    await page.waitForURL(at(/channels$/))
    await state(page, "made").waitFor({ state: "detached" })
  })

  inPage("are made, started and stopped by keyboard", "channels", async (page) => {
    const press = async (name: string) => {
      const button = page.getByRole("button", { name, exact: true, disabled: false })
      await button.focus()
      await button.and(page.locator(":focus")).waitFor()
      await page.keyboard.press("Enter")
    }
    await press("New channel")
    await page.getByRole("dialog").getByLabel("Name").and(page.locator(":focus")).waitFor()
    await page.keyboard.type("keys")
    await page.keyboard.press("Enter")
    await page.getByText("This channel is not saved yet").waitFor()
    await press("ticks.yaml")
    await editor(page, /^ticks\.yaml/).focus()
    await page.keyboard.press("ControlOrMeta+End")
    await page.keyboard.type("# by keys")
    await press("Make the channel")
    await page.getByText("keys is saved").waitFor()
    await page.getByRole("link", { name: "Jobs" }).focus()
    await page.keyboard.press("Enter")
    await state(page, "local/ticks").waitFor()
    await press("Start keys")
    await state(page, "local/ticks").filter({ hasText: "active" }).waitFor()
    // A button that has done its work keeps the focus.
    await page.getByRole("button", { name: "Start keys" }).and(page.locator(":focus")).waitFor()
    await page.getByRole("grid", { name: "Jobs" }).focus()
    await page.keyboard.press("Home")
    await page.keyboard.press("Enter")
    await page.waitForURL(/job=local%2Fticks/)
    await press("Stop local/ticks")
    await state(page, "local/ticks").filter({ hasText: "stopped" }).waitFor()
    await clientOf(new URL(page.url()).origin).channels.remove({ params: { tenant, channel: "keys" } })
  })

  inPage(
    "say of each job what is desired and observed, and why, with exits and the next start",
    "channels/shop",
    async (page) => {
      await page.getByRole("button", { name: "Start shop", exact: true }).click()
      const row = state(page, "local/fails")
      await row
        .filter({ hasText: "running" })
        .filter({ hasText: "restarting" })
        .filter({ hasText: "it is run again in" })
        .waitFor()
      await row.click()
      const detail = page.getByRole("region", { name: "Job local/fails" })
      await detail
        .getByRole("listitem")
        .filter({ hasText: "does not exist" })
        .filter({ hasText: markup.replaceAll('"', "'") })
        .first()
        .waitFor()
      const next = detail
        .locator("dt", { hasText: "Next start" })
        .locator("xpath=following-sibling::dd")
        .locator("time")
      const at = Date.parse((await next.getAttribute("datetime")) ?? "")
      const failed = Date.parse(
        (await detail.getByRole("region", { name: "Failed runs" }).locator("time").first().getAttribute("datetime")) ??
          ""
      )
      assert.isAtLeast(at - failed, 300_000)
      assert.isAtMost(at - failed, 600_000)
      await detail.getByText(/1 failed run;/).waitFor()
      await page.reload()
      await detail.waitFor()

      await state(page, "local/follows").click()
      const follows = page.getByRole("region", { name: "Job local/follows" })
      await state(page, "local/follows").filter({ hasText: /\d B$/ }).waitFor()
      const lag = follows.getByRole("slider", { name: "Lag: unread bytes" })
      await lag.focus()
      // The picture may not have any value to move to yet.
      await soon(async () => {
        await page.keyboard.press("End")
        assert.match((await lag.getAttribute("aria-valuetext")) ?? "", /Lag [\d.,]+ /)
      })
      await page.getByRole("log").getByText("two").waitFor()
    }
  )

  inPage("show what a job prints while it prints it, as text", "channels/shop?job=local/ticks", async (page, url) => {
    await page.getByRole("button", { name: "Start local/ticks", exact: true }).click()
    await page.getByRole("log").getByText("<img src=x onerror=").first().waitFor()
    await page.getByRole("button", { name: "Pause" }).click()
    const count = async () => Number((await page.getByText(/^[\d,]+ lines?$/).innerText()).replace(/\D/g, ""))
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    const paused = await count()
    const printed = async () => {
      const params = { tenant, channel: "shop", cluster: "local", job: "ticks" }
      const { lines } = await clientOf(url).channels.output({ params, query: {} })
      return lines.at(-1)?.seq ?? 0
    }
    const before = await printed()
    await eventually("the job prints more", async () => (await printed()) > before + 20)
    assert.strictEqual(await count(), paused)
    await page.getByRole("button", { name: "Follow" }).click()
    await page.waitForFunction(
      (before) =>
        [...document.querySelectorAll("span")].some(
          ({ textContent }) =>
            /^[\d,]+ lines$/.test(textContent ?? "") && Number(textContent?.replace(/\D/g, "")) > before
        ),
      paused
    )
    await page.getByLabel("Filter lines").fill("no such line")
    await page.getByText("0 lines", { exact: true }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
  })

  inPage("have no fault that axe knows, light and dark, wide and narrow", "channels", async (page, url) => {
    await faultless(page, [
      [`${url}/console/channels`, main(page).getByText("Why")],
      [`${url}/console/channels/shop?job=local/fails`, main(page).getByText("Last hour")],
      [`${url}/console/channels/shop?view=files`, main(page).getByText("runtime")],
      [`${url}/console/channels/none`, main(page).getByText("There is no channel")],
      [`${url}/console/channels/broken`, main(page).getByText("applications")]
    ])
  })
})
