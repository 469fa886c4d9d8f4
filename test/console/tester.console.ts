import { assert, layer } from "@effect/vitest"
import type { Page } from "playwright-core"
import { Console, editor, fill, rate, soon, visit } from "./support.ts"

const patterns = /^Grok patterns/
const lines = /^Log lines/

const log = ["10 GET /a 200", "11 GET /b 404", "bad line", "12 PUT /c 201"].join("\n")
const pattern = "^%{INT:id} %{WORD:verb} %{NOTSPACE:path} %{INT:status:int}$"

const withPage = (name: string, run: (page: Page, url: string) => Promise<void>) => [name, run] as const

/** The colours of a text: in the samples, in the pattern, and in the table of the line. */
const backgroundOf = (page: Page, selector: string, text: string) =>
  page
    .locator(selector)
    .filter({ hasText: text })
    .first()
    .evaluate((element) => getComputedStyle(element).backgroundColor)

const row = (page: Page, text: string | RegExp) => page.getByRole("grid").getByRole("row").filter({ hasText: text })

/** Waits until these lines are tested with this pattern, and selects the first: the example has the same rate. */
const tested = async (page: Page): Promise<void> => {
  await row(page, "10 GET").click()
  await page
    .getByRole("table")
    .getByRole("row", { name: /^id 10 / })
    .waitFor()
  await rate(page).filter({ hasText: "3 of 4" }).waitFor()
}

const scenarios = [
  withPage("shows results as one types, by keyboard alone", async (page) => {
    await fill(page, lines, "")
    await fill(page, patterns, "")
    await page.getByText("Paste some log lines").waitFor()
    await editor(page, patterns).focus()
    await page.keyboard.press("Escape")
    await page.keyboard.type("^%{INT:n}$")
    // Tab leaves an editor: the options, the file button, the lines.
    await page.keyboard.press("Escape")
    for (const _ of [1, 2, 3]) await page.keyboard.press("Tab")
    await soon(async () =>
      assert.match(
        (await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute("aria-label"))) ??
          "",
        lines
      )
    )
    await page.keyboard.type("12\nx")
    await rate(page).filter({ hasText: "1 of 2 lines match (50%)" }).waitFor()
    await page.getByRole("grid").focus()
    await page.keyboard.press("End")
    await page.getByText("Does not match", { exact: true }).waitFor()
    await page.keyboard.press("Home")
    await page.getByRole("table").getByRole("row", { name: "n 12 string INT" }).waitFor()
  }),

  withPage("gives a field the same colour in sample, pattern and table", async (page) => {
    await fill(page, lines, log)
    await fill(page, patterns, pattern)
    await tested(page)
    const places = ["span[class^=f]", "[role=grid] span[title]", "tbody th span"] as const
    const texts = { id: ["INT:id", "10", "id"], path: ["NOTSPACE:path", "/a", "path"] } as const
    for (const [inPattern, inRow, inTable] of Object.values(texts)) {
      const shown = [
        await backgroundOf(page, places[0], inPattern),
        await backgroundOf(page, places[0], inRow),
        await backgroundOf(page, places[1], inRow),
        await backgroundOf(page, places[2], inTable)
      ]
      assert.deepStrictEqual(new Set(shown).size, 1, JSON.stringify(shown))
      assert.notStrictEqual(shown[0], "rgba(0, 0, 0, 0)")
    }
    assert.notStrictEqual(await backgroundOf(page, places[2], "id"), await backgroundOf(page, places[2], "path"))
  }),

  withPage("tells of a miss how far it came, what failed, what is left, and a hint", async (page) => {
    await fill(page, lines, "10 GET /a abc")
    await fill(page, patterns, pattern)
    const detail = page.getByRole("region", { name: "Line 1" })
    // Until then it shows the lines with the previous pattern.
    await detail.getByText("The pattern matches 10 characters").waitFor()
    const said = await detail.innerText()
    for (const part of ["Does not match", "Here it fails:", "The rest of the line:", "Hint:"])
      assert.include(said, part)
    const [reached, failing, rest, hint] = await detail.locator("dd").allInnerTexts()
    assert.deepStrictEqual([reached, failing, rest], ["10 GET /a ", "%{INT:status:int}", "abc"])
    assert.include(hint, "does not match at offset 10")
    assert.strictEqual(await page.locator(".failed").innerText(), "%{INT:status:int}")
  }),

  withPage("steps from line to line and from miss to miss", async (page) => {
    await fill(page, lines, log)
    await fill(page, patterns, pattern)
    await tested(page)
    await page.getByRole("button", { name: "Next", exact: true }).click()
    await page.getByRole("region", { name: "Line 2" }).waitFor()
    await page.getByRole("button", { name: "Next miss" }).click()
    await page.getByRole("region", { name: "Line 3" }).waitFor()
    await page.getByRole("button", { name: "Previous" }).click()
    await page.getByRole("region", { name: "Line 2" }).waitFor()
  }),

  withPage("runs dissect and flowlets, and keeps each operator's text", async (page) => {
    await fill(page, lines, "a=1 b")
    await fill(page, patterns, "%{WORD:w}")
    await page.getByRole("radio", { name: "dissect" }).click()
    await fill(page, /^Dissect/, "%{key}=%{value} %{rest}")
    await page
      .getByRole("table")
      .getByRole("row", { name: /^rest b/ })
      .waitFor()
    await page.getByRole("radio", { name: "flowlet" }).click()
    await fill(page, /^Program/, "print('seen')\nreturn { length: event.message.length }")
    await page
      .getByRole("table")
      .getByRole("row", { name: /^length 5 number/ })
      .waitFor()
    await page.getByText("seen", { exact: true }).waitFor()
    await fill(page, /^Program/, "return nothing.at.all")
    await page.getByText("The program failed").waitFor()
    await page.getByText("line 1, column").waitFor()
    await page.getByRole("radio", { name: "grok" }).click()
    await soon(async () => assert.include(await editor(page, patterns).innerText(), "%{WORD:w}"))
  }),

  withPage("says where a pattern is wrong", async (page) => {
    await fill(page, lines, "x")
    await fill(page, patterns, "%{WORD:w}\n%{NOSUCH:x} %{WROD:y}")
    const faults = page.getByRole("alert")
    await faults.getByText('unknown pattern "NOSUCH"').waitFor()
    assert.include(await faults.innerText(), "Pattern, line 2, column 1:")
    assert.include(await faults.innerText(), "WROD")
    await soon(async () =>
      assert.deepStrictEqual(await page.locator(".fault").allInnerTexts(), ["%{NOSUCH:x}", "%{WROD:y}"])
    )
  }),

  withPage("counts and times each pattern, and warns", async (page) => {
    await fill(page, lines, "12\nabc\n7")
    await fill(page, patterns, "^%{INT:n}$\n^%{WORD:w}$\n^never$")
    const table = page.getByRole("table").filter({ hasText: "Matches" })
    // The results of the previous patterns may still arrive.
    await table
      .getByRole("row", { name: /matches nothing/ })
      .and(table.getByRole("row").nth(3))
      .waitFor()
    await table.getByRole("row", { name: /INT:n.*\s2\s/ }).waitFor()
    const cells = await table.getByRole("row").allInnerTexts()
    assert.match(cells[1] ?? "", /\^%\{INT:n\}\$\s+2\s+[\d,]+ µs/)
    assert.match(cells[2] ?? "", /\^%\{WORD:w\}\$\s+1\s/)
    assert.match(cells[3] ?? "", /matches nothing/)
    await fill(page, patterns, "%{INT:n:tpyo}")
    await page.getByRole("list", { name: "Warnings" }).or(page.getByRole("alert")).first().waitFor()
  }),

  withPage("completes names of the bank, with examples", async (page) => {
    await fill(page, patterns, "")
    await page.keyboard.type("%{LOG")
    const option = page.getByRole("option").filter({ hasText: "LOGLEVEL" })
    await option.first().waitFor()
    assert.include(await option.first().innerText(), "WARN")
    // Just after it was opened, the list ignores keys, so that nobody selects by mistake.
    const selected = page.getByRole("option", { selected: true }).locator(".cm-completionLabel")
    const first = await selected.innerText()
    while ((await selected.innerText()) === first) await page.keyboard.press("ArrowDown")
    while ((await selected.innerText()) !== first) await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await soon(async () => assert.include(await editor(page, patterns).innerText(), `%{${first}`))
  }),

  withPage("searches the bank, shows what a pattern expands to, and inserts it", async (page) => {
    await fill(page, patterns, "%{SYSLOGBASE:x}")
    await page.keyboard.press("ArrowLeft")
    await page.getByRole("button", { name: "Pattern bank" }).click()
    const dialog = page.getByRole("dialog", { name: "Pattern bank" })
    // It starts with the pattern at the cursor.
    const says = (name: string, parts: ReadonlyArray<string>) =>
      soon(async () => {
        const said = await dialog.getByRole("region", { name }).innerText()
        for (const part of parts) assert.include(said, part)
      })
    await says("SYSLOGBASE", ["SYSLOGTIMESTAMP", "MONTHDAY", "SYSLOGPROG"])
    await dialog.getByRole("searchbox").fill("192.0.2.17:8080")
    await dialog.getByRole("button", { name: /^HOSTPORT/ }).click()
    await says("HOSTPORT", ["192.0.2.17:8080", "Expands to", "IPORHOST", "POSINT", "HOSTNAME"])
    await dialog.getByRole("button", { name: "Insert" }).click()
    await dialog.waitFor({ state: "detached" })
    // The name of the field is selected, so that typing replaces it.
    await page.waitForFunction(() =>
      document.activeElement?.shadowRoot?.activeElement?.textContent?.includes("HOSTPORT")
    )
    await page.keyboard.type("peer")
    await soon(async () => assert.include(await editor(page, patterns).innerText(), "%{HOSTPORT:peer}"))
  }),

  withPage("proposes patterns for selected text", async (page) => {
    await fill(page, patterns, "")
    await fill(page, lines, "user=42 from 192.0.2.17")
    await page.keyboard.press("End")
    for (const _ of "192.0.2.17") await page.keyboard.press("Shift+ArrowLeft")
    const bar = page.getByRole("group", { name: "Patterns for the selected text" })
    await bar.getByRole("button", { name: "IPV4", exact: true }).waitFor()
    const names = await bar.getByRole("button").allInnerTexts()
    assert.include(names, "IP")
    assert.notInclude(names, "INT")
    await bar.getByRole("button", { name: "IPV4", exact: true }).click()
    await soon(async () => assert.include(await editor(page, patterns).innerText(), "^user=42 from %{IPV4:field}$"))
    await rate(page).filter({ hasText: "1 of 1 line match" }).waitFor()
  }),

  withPage("proposes patterns for these lines, and uses one", async (page) => {
    await fill(
      page,
      lines,
      "2026-01-01T00:00:00Z INFO [main] app.Server: listening\n2026-01-01T00:00:01Z WARN [web] app.Pool: took 12 ms"
    )
    await page.getByRole("button", { name: "Propose patterns" }).click()
    const dialog = page.getByRole("dialog", { name: "Proposals" })
    await dialog.getByText("2 of 2 lines").first().waitFor()
    await dialog.getByRole("button", { name: "Use it" }).first().click()
    await rate(page).filter({ hasText: "2 of 2 lines match" }).waitFor()
    await soon(async () => assert.include(await editor(page, patterns).innerText(), "TIMESTAMP_ISO8601:timestamp"))
  })
]

layer(Console.layer, { excludeTestServices: true })("the tester", (it) => {
  for (const [name, run] of scenarios) {
    it.effect(name, () => visit("", run))
  }
})
