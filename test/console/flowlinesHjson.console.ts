import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { boxOf, cursorBehind, openFlowlines, problems, saved, text, textOf } from "./flowlinePages.ts"
import { Console, violations } from "./support.ts"

const hjson = `{
  // Two lines.
  version: "1.0"
  type: flowline
  name: in hjson
  runtime: stream
  dag: [
    # Where they come from.
    {
      type: generator_input
      component: lines
      settings: {
        count: 2 # of them
        messages: [ "10.0.0.1 GET 200", "10.0.0.2 GET 404" ]
      }
      publish: [ { stream: "lines" } ]
    }
    {
      type: grok
      component: parse
      settings: { // of the parser
        patterns: [
          '%{IP:client} %{WORD:verb}' // the first one
          "%{IP:client}"
        ]
      }
      subscribe: [ { component: "lines", stream: "lines" } ]
      publish: [ { stream: "parsed" } ]
    }
    { type: "show", subscribe: [ { component: "parse", stream: "parsed" } ] } /* the end */
  ]
}
`

const json = `{
  "runtime": "stream",
  "dag": [
    {
      "type": "generator_input",
      "settings": { "count": 1, "messages": ["hello"] },
      "publish": [{ "stream": "lines" }]
    },
    { "type": "show", "subscribe": [{ "component": "generator_input", "stream": "lines" }] }
  ]
}
`

/** Replaces a part that must exist. */
const replaced = (whole: string, part: string, other: string): string => {
  assert.include(whole, part)
  return whole.replace(part, other)
}

layer(Console.layer, { excludeTestServices: true })("flowlines in HJSON and JSON", (it) => {
  const scenario = (name: string, run: (given: typeof Console.Service) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const given = yield* Console
        yield* Effect.promise(() => run(given))
      })
    )

  scenario("are edited by forms and completion, and keep what is not edited", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, hjson, undefined, "f.hjson")
    const { page, complaints } = await openFlowlines(browser, url, `/${id}`)
    const loaded: Array<string> = []
    page.on("request", (request) => loaded.push(request.url()))
    await problems(page).getByText("No problems").waitFor()

    // The cursor in the text selects a node, and selecting a node moves the cursor there.
    await cursorBehind(page, "the first one")
    await page.getByRole("region", { name: "Node parse" }).waitFor()
    await boxOf(page, "show").click()
    await page.getByRole("region", { name: "Node show" }).waitFor()
    await boxOf(page, "parse").click()
    const form = page.getByRole("region", { name: "Node parse" })
    await form.getByRole("textbox", { name: /^patterns/ }).fill("%{IP:client} %{WORD:verb}\n%{IP:client} .*")
    await form.getByRole("textbox", { name: "Name" }).fill("read")
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Node read" }).waitFor()

    await cursorBehind(page, "of the parser")
    await page.keyboard.insertText("\n        ")
    await page.keyboard.type("time")
    await page
      .locator(".cm-tooltip-autocomplete")
      .getByRole("option")
      .filter({ hasText: /^timeout_millis/ })
      .waitFor()
    await page.keyboard.press("Tab")
    await text(page)
      .locator(".cm-line")
      .filter({ hasText: /^ +timeout_millis: $/ })
      .waitFor()
    await page.keyboard.type("500")
    await problems(page).getByText("No problems").waitFor()

    await page.getByRole("button", { name: "Add a node" }).click()
    await page.getByRole("dialog").getByRole("searchbox").fill("show")
    await page.getByRole("dialog").getByRole("button", { name: "Add show" }).click()
    const added = page.getByRole("region", { name: "Node show-2" })
    await added.waitFor()
    await page.getByRole("button", { name: "parsed from read to show-2" }).waitFor()
    await problems(page).getByText("No problems").waitFor()
    assert.deepStrictEqual(await violations(page), [])

    await page.keyboard.press("ControlOrMeta+s")
    await page.getByText("Version 2, saved").waitFor()
    const edits = [
      ['"%{IP:client}"\n', '"%{IP:client} .*"\n'],
      ["component: parse\n", "component: read\n"],
      ['component: "parse"', 'component: "read"'],
      ["// of the parser\n", "// of the parser\n        timeout_millis: 500\n"],
      [
        "/* the end */\n",
        `/* the end */
    {
      type: "show"
      component: "show-2"
      settings: {
        limit: 20
      }
      subscribe: [ { component: "read", stream: "parsed" } ]
    }
`
      ]
    ] as const
    const wanted = edits.reduce((made, [part, other]) => replaced(made, part, other), hjson)
    const { text: made, filename } = await textOf(url, id)
    assert.strictEqual(made, wanted)
    assert.strictEqual(filename, "f.hjson")
    // The YAML parser was not loaded.
    assert.isTrue(loaded.some((one) => one.includes("/hjsonTools-")))
    assert.deepStrictEqual(
      loaded.filter((one) => /\/(yamlTools|browser)-/.test(one)),
      []
    )
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  scenario("tell their faults, and keep the DAG meanwhile", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, hjson, undefined, "f.hjson")
    const { page, complaints } = await openFlowlines(browser, url, `/${id}`)
    await problems(page).getByText("No problems").waitFor()
    await cursorBehind(page, "count: 2")
    await page.keyboard.insertText('\n        other: "x')
    const fault = problems(page).getByRole("button", { name: /The quoted text is not closed/ })
    await fault.waitFor()
    assert.match(await fault.innerText(), /^14:16/)
    await page.getByText("of the last text without faults").waitFor()
    assert.strictEqual(await page.locator("[data-node]").count(), 3)
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  scenario("in JSON stay JSON", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, json, undefined, "f.json")
    const { page, complaints } = await openFlowlines(browser, url, `/${id}`)
    await problems(page).getByText("No problems").waitFor()
    await boxOf(page, "generator_input").click()
    const form = page.getByRole("region", { name: "Node generator_input" })
    await form.getByRole("textbox", { name: /^count/ }).fill("2")
    await text(page).getByText('"count": 2').waitFor()
    await cursorBehind(page, '"runtime": "stream",')
    await page.keyboard.insertText("\n  ")
    await page.keyboard.type('"nam')
    await page.locator(".cm-tooltip-autocomplete").getByRole("option").filter({ hasText: /^name/ }).waitFor()
    await page.keyboard.press("Tab")
    await text(page)
      .locator(".cm-line")
      .filter({ hasText: /^ +"name": $/ })
      .waitFor()
    await page.keyboard.type('"one",')
    await problems(page).getByText("No problems").waitFor()
    await page.keyboard.press("ControlOrMeta+s")
    await page.getByText("Version 2, saved").waitFor()
    assert.strictEqual(
      (await textOf(url, id)).text,
      replaced(replaced(json, '"count": 1', '"count": 2'), '"stream",\n', '"stream",\n  "name": "one",\n')
    )
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })
})
