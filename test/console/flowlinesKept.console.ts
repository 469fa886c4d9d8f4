import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { boxOf, cursorBehind, flowline, openFlowlines, problems, saved, text, textOf, title } from "./flowlinePages.ts"
import { at, Console, fill, soon, violations, watched } from "./support.ts"

/** Would run if any part of the page treated it as something else than text. */
const hostile = `<img src=x onerror="globalThis.ran = 1">`

layer(Console.layer, { excludeTestServices: true })("a flowline that is edited", (it) => {
  const scenario = (name: string, run: (given: typeof Console.Service) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const given = yield* Console
        yield* Effect.promise(() => run(given))
      })
    )

  scenario("survives a lost gateway, a reload and a second tab", async ({ site, browser }) => {
    const gateway = await site.start()
    const id = await saved(gateway.url, flowline("kept"))
    const { page, complaints } = await openFlowlines(browser, gateway.url, `/${id}`)
    await boxOf(page, "parse").waitFor()
    await problems(page).getByText("No problems").waitFor()
    await gateway.kill("SIGKILL")
    await cursorBehind(page, "name: kept")
    await page.keyboard.type("-while-away")
    await page.getByText("The gateway does not answer").first().waitFor()
    await page.getByText("Changed, not saved").waitFor()
    const again = await site.start({ FLOW_PORT: String(gateway.port) })
    await page.getByText("The gateway does not answer").first().waitFor({ state: "hidden" })
    await problems(page).getByText("No problems").waitFor()
    await page.reload()
    await page.getByRole("heading", { name: "kept-while-away" }).waitFor()
    // A second tab starts with the typed text, and continues separately.
    const other = await watched(await page.context().newPage(), `${again.url}/console/flowlines/${id}`, title)
    await cursorBehind(other.page, "name: kept-while-away")
    await other.page.keyboard.type("-other")
    await other.page.getByRole("heading", { name: "kept-while-away-other" }).waitFor()
    await cursorBehind(page, "name: kept-while-away")
    await page.keyboard.type("-first")
    for (const [tab, name] of [
      [page, "kept-while-away-first"],
      [other.page, "kept-while-away-other"]
    ] as const) {
      await tab.reload()
      await tab.getByRole("heading", { name }).waitFor()
    }
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Version 2, saved").waitFor()
    assert.include((await textOf(again.url, id)).text, "name: kept-while-away-first")
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
    await again.kill("SIGTERM")
  })

  scenario("is not written over what somebody else has saved", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, flowline("shared"))
    const { page } = await openFlowlines(browser, url, `/${id}`)
    await boxOf(page, "parse").waitFor()
    await cursorBehind(page, "name: shared")
    await page.keyboard.type("-mine")
    await saved(url, flowline("shared", 500), id)
    await page.keyboard.press("ControlOrMeta+s")
    const newer = page.getByRole("alert").filter({ hasText: "somebody else has saved version 2" })
    await newer.waitFor()
    await newer.getByRole("button", { name: "Show what is new" }).click()
    await newer.getByText("/settings/where").waitFor()
    await newer.getByText("status >= 500").first().waitFor()
    assert.deepStrictEqual(await violations(page), [])
    assert.notInclude((await textOf(url, id)).text, "mine")
    await newer.getByRole("button", { name: "Go on with my text" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Version 3, saved").waitFor()
    assert.include((await textOf(url, id)).text, "name: shared-mine")
    // Readers without changes receive what others save.
    await saved(url, flowline("shared-by-others"), id)
    await page.getByRole("heading", { name: "shared-by-others" }).waitFor()
    await page.context().close()
  })

  scenario("goes on while it is saved for the first time, and leads nobody back", async ({ gateway, browser }) => {
    const { page } = await openFlowlines(browser, gateway.url, "/new")
    /** Holds the answer to the next save back. */
    const held = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route(/flowline\/save/, async (route) => {
        await promise
        await route.continue()
      })
      await page.keyboard.press("ControlOrMeta+s")
      await page.getByText("Saving…").waitFor()
      return resolve
    }
    await boxOf(page, "parse").waitFor()
    await page.getByRole("button", { name: "Try it" }).click()
    await page.getByRole("textbox", { name: "Sample for lines" }).fill("a typed sample")
    await cursorBehind(page, "name: first-steps")
    const save = await held()
    await page.keyboard.type("-typed")
    save()
    await page.getByRole("link", { name: "Versions" }).waitFor()
    await page.keyboard.type("-on")
    await page.getByText("Changed, not saved").waitFor()
    await page.reload()
    await page.getByRole("heading", { name: "first-steps-typed-on" }).waitFor()
    await page.getByRole("button", { name: "Try it" }).click()
    assert.strictEqual(await page.getByRole("textbox", { name: "Sample for lines" }).inputValue(), "a typed sample")
    // The next new flowline has nothing of it.
    await page.goto(`${gateway.url}/console/flowlines/new`)
    await page.getByRole("heading", { name: "New flowline" }).waitFor()
    await text(page).getByText("name: first-steps", { exact: true }).waitFor()
    const later = await held()
    const leave = async () => {
      await page.getByRole("link", { name: "Flowlines", exact: true }).first().click()
      await page.getByRole("heading", { name: "Flowlines", exact: true }).waitFor()
    }
    await leave()
    // Nor has one that is opened while this one is being saved.
    await page.getByRole("main").getByRole("link", { name: "New flowline" }).first().click()
    await boxOf(page, "parse").waitFor()
    later()
    await page.getByText("Saved as version 1").waitFor()
    assert.match(page.url(), /\/console\/flowlines\/new/)
    // What was typed before the page was left is a draft of the flowline that was saved, and not of the next one.
    await page.reload()
    await boxOf(page, "parse").waitFor()
    await cursorBehind(page, "name: first-steps")
    const end = await held()
    await page.keyboard.type("-left")
    await page.getByRole("heading", { name: "New flowline" }).waitFor()
    await leave()
    const answer = page.waitForResponse(/flowline\/save/)
    end()
    const { id } = await (await answer).json()
    await page.getByText("Saved as version 1").waitFor()
    await page.goto(`${gateway.url}/console/flowlines/new`)
    await text(page).getByText("name: first-steps", { exact: true }).waitFor()
    await page.goto(`${gateway.url}/console/flowlines/${id}`)
    await page.getByRole("heading", { name: "first-steps-left" }).waitFor()
    await page.context().close()
  })

  scenario("can be made, tried, saved and run by keyboard alone", async ({ gateway: { url }, browser }) => {
    const { page, complaints } = await openFlowlines(browser, url, "/new")
    const { keyboard } = page
    const focused = () =>
      page.evaluate(() => {
        let found = document.activeElement
        while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement
        const label = found instanceof HTMLInputElement ? found.labels?.[0]?.textContent : undefined
        return found?.getAttribute("aria-label") ?? label ?? found?.textContent?.trim() ?? ""
      })
    /** Presses Tab until the focus is on this. */
    const tabTo = async (name: RegExp, key = "Tab") => {
      for (let at = 0; at < 80; at++) {
        if (name.test(await focused())) return
        await keyboard.press(key)
      }
      assert.fail(`Tab does not lead to ${name}: the focus is on ${await focused()}`)
    }
    await boxOf(page, "parse").waitFor()
    await problems(page).getByText("No problems").waitFor()
    await tabTo(/^Flowline\./)
    await keyboard.press("ControlOrMeta+Home")
    for (let at = 0; at < 2; at++) await keyboard.press("ArrowDown")
    await keyboard.press("End")
    await keyboard.type("-by-keys")
    // The DAG: arrow keys move between nodes, and Enter selects one, whose form is below.
    await tabTo(/^linesgenerator_input/)
    await keyboard.press("ArrowDown")
    if (!/^parse/.test(await focused())) await keyboard.press("ArrowRight")
    await soon(async () => assert.match(await focused(), /^parse/))
    await keyboard.press("Enter")
    await page.getByRole("region", { name: "Node parse" }).waitFor()
    // The same as a list and as a table.
    await tabTo(/^Picture$/, "Shift+Tab")
    await keyboard.press("ArrowRight")
    await soon(async () => assert.match(await focused(), /^List$/))
    await keyboard.press("Enter")
    await page.getByRole("listitem").filter({ hasText: "Receives from parse (parsed)" }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await keyboard.press("ArrowRight")
    await soon(async () => assert.match(await focused(), /^Table$/))
    await keyboard.press("Enter")
    await page.getByRole("grid", { name: "DAG" }).getByRole("row").filter({ hasText: "parse (parsed)" }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await keyboard.press("ArrowLeft")
    await keyboard.press("ArrowLeft")
    await soon(async () => assert.match(await focused(), /^Picture$/))
    await keyboard.press("Enter")
    await boxOf(page, "parse").waitFor()
    await tabTo(/^Try it$/)
    await keyboard.press("Enter")
    await page.getByRole("button", { name: "Try", exact: true }).waitFor()
    await tabTo(/^Try$/)
    await keyboard.press("Enter")
    await page.getByRole("button", { name: "failed · 2 from failed to show" }).waitFor()
    await keyboard.press("ControlOrMeta+s")
    await page.getByText("Version 1, saved").waitFor()
    await tabTo(/^Run$/, "Shift+Tab")
    await keyboard.press("Enter")
    await page.getByRole("dialog").getByText("It has no parameters.").waitFor()
    await tabTo(/^Run$/)
    await keyboard.press("Enter")
    await page.waitForURL(at(/\/console\/runs\/[\w-]+\/[\w-]+-\d+$/))
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  scenario("with hostile content everywhere is text", async ({ gateway: { url }, browser }) => {
    const quoted = JSON.stringify(hostile)
    const id = await saved(
      url,
      `name: ${quoted}
description: ${quoted}
runtime: stream
dag:
  - type: generator_input
    component: ${quoted}
    settings: { count: 1, messages: [ ${quoted}, { ${quoted}: ${quoted} } ] }
    publish: [ { stream: ${quoted} } ]
  - { type: show, subscribe: [ { component: ${quoted}, stream: ${quoted} } ] }
`
    )
    const { page, complaints } = await openFlowlines(browser, url, "")
    await page.getByRole("grid", { name: "Flowlines" }).getByRole("link", { name: hostile }).first().click()
    await page.getByRole("heading", { name: hostile, exact: true }).waitFor()
    await page.getByRole("button", { name: "Try it" }).click()
    await page.getByRole("button", { name: "Try", exact: true }).click()
    await page.getByText("succeeded").waitFor()
    await page.getByRole("group", { name: "Streams with their records" }).getByRole("button").first().click()
    await page.getByRole("grid").getByText(hostile).first().waitFor()
    for (const view of ["List", "Table", "Picture"]) {
      await page.getByRole("radio", { name: view }).click()
      assert.deepStrictEqual(await violations(page), [])
    }
    await saved(url, `${(await textOf(url, id)).text.replace("count: 1", "count: 2")}# ${hostile}\n`, id)
    await page.getByRole("link", { name: "Versions" }).click()
    await page.getByRole("region", { name: "From version 1 to 2" }).getByText("/settings/count").waitFor()
    await page.getByText("Differences of the texts").click()
    await page.getByText(`+# ${hostile}`).waitFor()
    await typeFaults(page, url, id)
    assert.strictEqual(await page.evaluate(() => (globalThis as { ran?: number }).ran), undefined)
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  /** Opens the editor and types faults with hostile names. */
  const typeFaults = async (page: Parameters<typeof fill>[0], url: string, id: string) => {
    await page.goto(`${url}/console/flowlines/${id}`)
    await boxOf(page, "show").waitFor()
    await fill(
      page,
      /^Flowline\./,
      `runtime: stream
dag: [ { type: show, settings: { ${JSON.stringify(hostile)}: 1 } } ]`
    )
    await problems(page).getByRole("button").filter({ hasText: "<img src=x onerror=" }).first().waitFor()
    await text(page).getByText("settings").waitFor()
  }

  for (const [name, options] of [
    ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 360, height: 780 } }]
  ] as const) {
    scenario(`has no barriers, ${name}`, async ({ gateway: { url }, browser }) => {
      const id = await saved(url, flowline("looked-at"))
      const { page, complaints } = await openFlowlines(browser, url, `/${id}`, options)
      await boxOf(page, "parse").waitFor()
      await problems(page).getByText("No problems").waitFor()
      assert.deepStrictEqual(await violations(page), [])
      await page.getByRole("button", { name: "Documentation" }).click()
      await page.getByRole("button", { name: "Add a node" }).click()
      await page.getByRole("dialog").getByRole("searchbox").fill("geoip")
      await page.getByRole("dialog").getByRole("button", { name: "Add geoip" }).waitFor()
      assert.deepStrictEqual(await violations(page), [])
      await page.getByRole("dialog").getByRole("button", { name: "Add geoip" }).click()
      await boxOf(page, "geoip").waitFor()
      await problems(page).getByText("No problems").waitFor()
      await page.getByRole("button", { name: "Try it" }).click()
      await page.getByRole("button", { name: "Try", exact: true }).click()
      await page.getByRole("group", { name: "Streams with their records" }).getByRole("button").first().click()
      assert.deepStrictEqual(await violations(page), [])
      const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.isAtMost(width, 0)
      for (const view of ["Versions", "Schedules"]) {
        await page.getByRole("link", { name: view }).click()
        await page.getByRole("link", { name: view, exact: true }).and(page.locator("[aria-current]")).waitFor()
        assert.deepStrictEqual(await violations(page), [])
      }
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    })
  }
})
