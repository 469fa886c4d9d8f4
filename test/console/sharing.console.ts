import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import type { Page } from "playwright-core"
import { parse } from "yaml"
import { Console, editor, escape, fill, open, rate, soon, visit, watched } from "./support.ts"

const patterns = /^Grok patterns/
const lines = /^Log lines/

const withPage = (name: string, run: (page: Page, url: string) => Promise<void>) => [name, run] as const

const row = (page: Page, text: string | RegExp) => page.getByRole("grid").getByRole("row").filter({ hasText: text })

const scenarios = [
  withPage("marks an expectation that no longer holds", async (page) => {
    await fill(page, lines, "12\nabc")
    await fill(page, patterns, "^%{INT:n}$")
    await rate(page).filter({ hasText: "1 of 2" }).waitFor()
    await page.getByRole("button", { name: "Expect all results" }).click()
    await page.getByText("2 of 2 expectations hold").waitFor()
    await page.reload()
    await page.getByText("2 of 2 expectations hold").waitFor()
    await fill(page, patterns, "^%{INT:m}$")
    await page.getByText("1 of 2 expectations hold").waitFor()
    await row(page, "12").click()
    await page.getByText("not as expected.").waitFor()
    assert.include(await page.getByRole("region", { name: "Line 1" }).innerText(), '{"n":"12"}')
  }),

  withPage("gives the node for a flowline", async (page) => {
    await fill(page, patterns, String.raw`^%{INT:n} 'quoted' \[x\]$`)
    await page.getByRole("button", { name: "Use in a flowline" }).click()
    const dialog = page.getByRole("dialog", { name: "Use in a flowline" })
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download" }).click()
    ])
    assert.strictEqual(download.suggestedFilename(), "grok.yaml")
    const [node] = parse(readFileSync(await download.path(), "utf8"))
    assert.strictEqual(node.type, "grok")
    assert.deepStrictEqual(node.settings.patterns, [String.raw`^%{INT:n} 'quoted' \[x\]$`])
  }),

  withPage("holds its state in the fragment, and reads it in another browser", async (page, url) => {
    await fill(page, lines, "state 1 ✓")
    await fill(page, patterns, "^state %{INT:n}")
    await page.waitForFunction(() => location.hash.startsWith("#t="))
    await rate(page).filter({ hasText: "1 of 1" }).waitFor()
    await page.getByRole("button", { name: "Share" }).click()
    const shared = page.getByRole("textbox", { name: "Copy a link" })
    await soon(async () => assert.include(await shared.inputValue(), "#t="))
    const link = await shared.inputValue()
    const { page: other } = await open(page.context().browser()!, link)
    await rate(other).filter({ hasText: "1 of 1" }).waitFor()
    assert.include(await editor(other, lines).innerText(), "state 1 ✓")
    assert.include(await editor(other, patterns).innerText(), "^state %{INT:n}")
    await other.context().close()
    assert.isTrue(link.startsWith(`${url}/console/`))
  }),

  withPage("is shared as a file", async (page) => {
    await fill(page, lines, "a file 7")
    await fill(page, patterns, "%{INT:seven}")
    await page.getByRole("button", { name: "Share" }).click()
    const dialog = page.getByRole("dialog", { name: "Share" })
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Save as a file" }).click()
    ])
    const file = await download.path()
    await escape(page, dialog)
    await fill(page, lines, "gone")
    await page.getByRole("button", { name: "Share" }).click()
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      dialog.getByRole("button", { name: "Open a file" }).click()
    ])
    await chooser.setFiles(file)
    await page
      .getByRole("table")
      .getByRole("row", { name: /^seven 7/ })
      .waitFor()
  }),

  withPage("keeps a history that can be removed", async (page, url) => {
    await fill(page, lines, "the first one")
    await fill(page, patterns, "%{WORD:first}")
    // A separate page starts a separate entry.
    await rate(page).filter({ hasText: "1 of 1 line match" }).waitFor()
    const { page: second } = await watched(await page.context().newPage(), `${url}/console/`)
    await fill(second, patterns, "%{WORD:second}")
    await second.getByRole("button", { name: "History" }).click()
    const dialog = second.getByRole("dialog", { name: "History" })
    await dialog.getByText("%{WORD:first}").waitFor()
    await dialog.getByRole("button", { name: "Open" }).first().click()
    await second
      .getByRole("table")
      .getByRole("row", { name: /^first the/ })
      .waitFor()
    await second.getByRole("button", { name: "History" }).click()
    await dialog.getByRole("button", { name: "Remove all" }).click()
    await dialog.getByText("Nothing yet").waitFor()
  }),

  withPage("takes a log that is dropped", async (page) => {
    await fill(page, patterns, "^%{INT:n}$")
    await page.getByRole("textbox", { name: lines }).evaluate((element) => {
      const data = new DataTransfer()
      data.items.add(new File(["5\n6\nx\n"], "app.log", { type: "text/plain" }))
      element.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true, composed: true })
      )
    })
    await rate(page).filter({ hasText: "2 of 3 lines match" }).waitFor()
  })
]

layer(Console.layer, { excludeTestServices: true })("what the tester keeps and shares", (it) => {
  for (const [name, run] of scenarios) {
    it.effect(name, () => visit("", run))
  }
})
