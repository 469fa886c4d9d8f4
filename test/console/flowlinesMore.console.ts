import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { boxOf, cursorBehind, flowline, openFlowlines, problems, saved, tenant, text, textOf } from "./flowlinePages.ts"
import { Console, escape, fill, open, rate, soon, violations } from "./support.ts"

/** It has a parameter without a default. */
const spoken = `runtime: stream
name: scheduled
parameters:
  word: { type: string, description: What is said }
dag:
  - { type: generator_input, settings: { count: 1, messages: [ "\${param:word}" ] }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`

layer(Console.layer, { excludeTestServices: true })("flowlines with their forms and schedules", (it) => {
  const scenario = (name: string, run: (given: typeof Console.Service) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const given = yield* Console
        yield* Effect.promise(() => run(given))
      })
    )

  scenario(
    "say that they were deleted, and save what was typed as a new one",
    async ({ gateway: { url }, browser }) => {
      const id = await saved(url, flowline("mine"))
      const { page } = await openFlowlines(browser, url, `/${id}`)
      await problems(page).getByText("No problems").waitFor()
      await cursorBehind(page, "name: mine")
      await page.keyboard.type("-still")
      await fetch(`${url}/v1/${tenant}/flowline/${id}`, { method: "DELETE" })
      await page.keyboard.press("ControlOrMeta+s")
      await page.getByText("This flowline was deleted").waitFor()
      assert.deepStrictEqual(await violations(page), [])
      // Whoever comes back to it is told, too.
      await page.reload()
      await page.getByText("This flowline was deleted").waitFor()
      await text(page).getByText("name: mine-still").waitFor()
      assert.strictEqual(await page.getByRole("button", { name: "Delete", exact: true }).count(), 0)
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Version 1, saved").waitFor()
      const made = new URL(page.url()).pathname.split("/").at(-1)!
      assert.notStrictEqual(made, id)
      assert.include((await textOf(url, made)).text, "name: mine-still")
      assert.strictEqual(await page.getByText("This flowline was deleted").count(), 0)
      await page.context().close()
    }
  )

  scenario("edit the text by forms: values, lists, names and streams", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, flowline("formed"))
    const { page, complaints } = await openFlowlines(browser, url, `/${id}`)
    await boxOf(page, "parse").click()
    const form = page.getByRole("region", { name: "Node parse" })
    await form.getByRole("textbox", { name: /^patterns/ }).fill("%{IP:client} %{GREEDYDATA:rest}\n%{WORD:w}")
    await form.getByText(/more settings/).click()
    await form.getByRole("combobox", { name: /^ecs_compatibility/ }).selectOption("v1")
    // A fault is shown at its field, with the gateway's message.
    await form.getByRole("textbox", { name: /^timeout_millis/ }).fill("0")
    await form.getByRole("alert").first().waitFor()
    await form.getByRole("textbox", { name: /^timeout_millis/ }).fill("")
    await problems(page).getByText("No problems").waitFor()
    await form.getByRole("textbox", { name: "Name" }).fill("read")
    await page.keyboard.press("Enter")
    const renamed = page.getByRole("region", { name: "Node read" })
    await renamed.waitFor()
    await boxOf(page, "show").click()
    const shown = page.getByRole("region", { name: "Node show" })
    await shown.getByRole("button", { name: "No longer receive failed · failed" }).click()
    await shown.getByRole("combobox", { name: "Receives" }).selectOption("read · parsed")
    await page.getByRole("button", { name: "parsed from read to show" }).waitFor()
    await problems(page).getByText("No problems").waitFor()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Version 2, saved").waitFor()
    const { text: made } = await textOf(url, id)
    for (const comment of ["# The lines.", "# the only one"]) assert.include(made, comment)
    assert.include(made, "component: read")
    assert.include(made, "{ component: read, stream: errors }")
    assert.include(made, "ecs_compatibility: v1")
    assert.notInclude(made, "timeout_millis")
    // All of it can be undone, like typed text.
    await text(page).focus()
    for (let at = 0; at < 80 && (await text(page).innerText()).includes("component: read"); at++) {
      await page.keyboard.press("ControlOrMeta+z")
    }
    await boxOf(page, "parse").waitFor()
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  scenario("run by schedules, with a token that is shown once", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, spoken)
    const { page, complaints } = await openFlowlines(browser, url, `/${id}/schedules`)
    await page.getByText("No schedules yet").waitFor()
    await page.getByRole("button", { name: "New schedule" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Name" }).fill("nightly")
    await dialog.getByRole("textbox", { name: /^cron/ }).fill("0 25 * * *")
    await dialog.getByRole("textbox", { name: /^word/ }).fill("hello")
    assert.deepStrictEqual(await violations(page), [])
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByRole("alert").first().waitFor()
    await dialog.getByRole("textbox", { name: /^cron/ }).fill("0 3 * * *")
    await dialog.getByRole("button", { name: "Save" }).click()
    const schedule = page.getByRole("region", { name: "Schedule nightly" })
    await schedule.waitFor()
    await page.getByRole("grid", { name: "Schedules" }).getByText("0 3 * * * (UTC)").waitFor()
    // Whoever presses twice, as the answer takes its time, runs it once.
    await schedule.getByRole("button", { name: "Run now" }).dblclick()
    const firings = page.getByRole("grid", { name: "What nightly has run" })
    await firings.getByText("succeeded").first().waitFor()
    assert.strictEqual(await firings.getByRole("gridcell", { name: "run", exact: true }).count(), 1)
    await schedule.getByRole("button", { name: "Pause" }).click()
    await page.getByRole("grid", { name: "Schedules" }).getByText("paused").waitFor()
    await schedule.getByRole("button", { name: "Resume" }).click()
    await page.getByRole("grid", { name: "Schedules" }).getByText("active").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await schedule.getByRole("link", { name: "Open" }).click()
    await page.waitForURL(new RegExp(`/console/runs/${id}/`))
    await page.goBack()

    await page.getByRole("button", { name: "New schedule" }).click()
    await dialog.getByRole("textbox", { name: "Name" }).fill("nightly")
    await dialog.getByText("There is a schedule of this name already.").waitFor()
    await dialog.getByRole("textbox", { name: "Name" }).fill("push")
    await dialog.getByRole("combobox", { name: "When it runs" }).selectOption("When a webhook is called")
    await dialog.getByRole("combobox", { name: /^body/ }).selectOption("parameters")
    await dialog.getByRole("button", { name: "Save" }).click()
    const token = page.getByRole("dialog", { name: "Token of push" })
    const shown = (await token.getByRole("group", { name: "Token" }).innerText()).trim()
    const response = await fetch(`${url}/v1/${tenant}/hooks/push`, {
      method: "POST",
      headers: { authorization: `Bearer ${shown}`, "content-type": "application/json" },
      body: JSON.stringify({ word: "hook" })
    })
    assert.strictEqual(response.status, 202)
    await escape(page, token)
    await page.getByRole("grid", { name: "What push has run" }).getByText("succeeded").waitFor()
    assert.notInclude(await page.content(), shown)
    await page.reload()
    const push = page.getByRole("region", { name: "Schedule push" })
    await push.waitFor()
    assert.notInclude(await page.content(), shown)
    await push.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByRole("grid", { name: "Schedules" }).getByText("push").waitFor({ state: "hidden" })

    // A run asks for its parameters, and shows faults at their fields.
    await page.getByRole("link", { name: "Text and DAG" }).click()
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await dialog.getByRole("button", { name: "Run" }).click()
    await dialog.getByText('The parameter "word" is required').first().waitFor()
    await dialog.getByRole("textbox", { name: /^word/ }).fill("by hand")
    await dialog.getByRole("button", { name: "Run" }).click()
    await page.waitForURL(new RegExp(`/console/runs/${id}/`))
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  scenario("go on after their dialog was closed, and tell how it ended", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, spoken)
    const { page, complaints } = await openFlowlines(browser, url, `/${id}/schedules`)
    const dialog = page.getByRole("dialog")
    const notices = page.getByRole("region", { name: "Notices" })
    /** Presses the button and closes the dialog before the answer, which the returned function lets through. */
    const closedEarly = async (button: string) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route(/\/v1\/mytenant\//, async (route) => {
        if (route.request().method() !== "GET") await promise
        await route.continue()
      })
      await dialog.getByRole("button", { name: button }).click()
      await dialog.getByText("Close", { exact: true }).click()
      await dialog.waitFor({ state: "hidden" })
      return resolve
    }
    const begin = async (name: string) => {
      await page.getByRole("button", { name: "New schedule" }).click()
      await dialog.getByRole("textbox", { name: "Name" }).fill(name)
      await dialog.getByRole("combobox", { name: "When it runs" }).selectOption("When a webhook is called")
      await dialog.getByRole("combobox", { name: /^body/ }).selectOption("parameters")
    }
    await begin("late")
    const late = await closedEarly("Save")
    await begin("not a name")
    late()
    const token = page.getByRole("dialog", { name: "Token of late" })
    await token.waitFor()
    await escape(page, token)
    assert.strictEqual(await dialog.getByRole("textbox", { name: "Name" }).inputValue(), "not a name")
    const refused = await closedEarly("Save")
    refused()
    await notices.getByText("The request is invalid").waitFor()

    // Whoever has gone elsewhere stays there, and is told of a token that nobody has seen.
    await begin("gone")
    const gone = await closedEarly("Save")
    await page.getByRole("link", { name: "Search", exact: true }).click()
    await page.getByRole("heading", { name: "Search", exact: true }).waitFor()
    gone()
    await notices.getByText("gone has a token that could not be shown").waitFor()
    assert.notInclude(page.url(), "schedule=")

    await page.goto(`${url}/console/flowlines/${id}`)
    await page.getByRole("button", { name: "Run", exact: true }).click()
    const run = await closedEarly("Run")
    run()
    await notices.getByText("The flowline cannot be run").waitFor()
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  scenario("begin with a test of the tester", async ({ gateway: { url }, browser }) => {
    const { page, complaints } = await open(browser, `${url}/console/`)
    await fill(page, /^Log lines/, "a: 1\n'b' # 2")
    await fill(page, /^Grok patterns/, "%{NOTSPACE:name} %{GREEDYDATA:rest}")
    await rate(page).filter({ hasText: "2 of 2" }).waitFor()
    await page.getByRole("button", { name: "Use in a flowline" }).click()
    await page.getByRole("button", { name: "New flowline with it" }).click()
    await boxOf(page, "grok").waitFor()
    await problems(page).getByText("No problems").waitFor()
    await soon(async () => assert.strictEqual(new URL(page.url()).hash, ""))
    await page.getByRole("button", { name: "Try it" }).click()
    await page.getByRole("textbox", { name: "Sample for input" }).fill("c 3")
    await page.reload()
    await page.getByRole("button", { name: "Try it" }).click()
    await soon(async () =>
      assert.strictEqual(await page.getByRole("textbox", { name: "Sample for input" }).inputValue(), "c 3")
    )
    await page.getByRole("textbox", { name: "Sample for input" }).fill("")
    await page.getByRole("button", { name: "Try", exact: true }).click()
    await page.getByRole("button", { name: "parsed · 2 from grok to show" }).click()
    await page.getByRole("grid", { name: "grok · parsed → show" }).getByText("'b'", { exact: true }).waitFor()
    // Another test takes the place of a text that was not saved, which can be taken back.
    await cursorBehind(page, "name: from-a-test")
    await page.keyboard.type("-changed")
    await page.goto(`${url}/console/`)
    await page.getByRole("button", { name: "Use in a flowline" }).click()
    await page.getByRole("button", { name: "New flowline with it" }).click()
    await text(page).getByText("name: from-a-test", { exact: true }).waitFor()
    await page.getByRole("alert").getByRole("button", { name: "Take that back" }).click()
    await text(page).getByText("name: from-a-test-changed").waitFor()
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })
})
