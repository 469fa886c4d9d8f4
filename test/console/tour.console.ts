import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Console, open } from "./support.ts"

// The tour of the README in a browser: it tests a pattern, looks at the configuration, saves and runs a flowline, opens
// its archive, starts and stops a channel, and reads the documentation.

type Role = Parameters<Page["getByRole"]>[0]

/** How a reader operates a page. */
interface Hands {
  /** Presses a button, or follows a link. */
  readonly press: (role: Role, name: string | RegExp) => Promise<void>
  /** Replaces the text of an editor. */
  readonly write: (name: RegExp, text: string) => Promise<void>
}

const replace = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.insertText(text)
}

const mouse = (page: Page): Hands => ({
  press: async (role, name) => {
    // A dialog covers the page, so the mouse reaches the dialog.
    const dialog = page.getByRole("dialog")
    const place = (await dialog.count()) > 0 ? dialog : page
    await place.getByRole(role, { name, exact: true }).first().click()
  },
  write: async (name, text) => {
    await page.getByRole("textbox", { name }).first().click()
    await replace(page, text)
  }
})

/** The name of the focused element, as a screen reader announces it. */
const focused = (page: Page): Promise<{ readonly name: string; readonly isTreeRow: boolean }> =>
  page.evaluate(() => {
    let at = document.activeElement
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
    const head = at?.matches("[role=treegrid] [role=row]") ? at.querySelector("[role=rowheader]") : null
    const label = at?.getAttribute("aria-label") ?? at?.getAttribute("title") ?? (head ?? at)?.textContent ?? ""
    return { name: label.trim(), isTreeRow: head !== null }
  })

/** Maximum number of tab stops before the wanted one. */
const mostStops = 120

const keyboard = (page: Page): Hands => {
  const reach = async (is: (name: string) => boolean, what: string) => {
    const passed: Array<string> = []
    for (let stop = 0; stop < mostStops; stop++) {
      await page.keyboard.press("Tab")
      let { name, isTreeRow } = await focused(page)
      // A tree is one tab stop; the arrow keys move inside it.
      for (let above = ""; isTreeRow && !is(name) && name !== above; { name, isTreeRow } = await focused(page)) {
        above = name
        await page.keyboard.press("ArrowDown")
        // Rendered, however slow the machine is.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
      }
      if (is(name)) return
      passed.push(name.slice(0, 30))
    }
    throw new Error(`The keyboard does not reach ${what}: ${passed.join(", ")}`)
  }
  return {
    press: async (role, name) => {
      await page.getByRole(role, { name, exact: true }).first().waitFor()
      await reach((found) => (typeof name === "string" ? found === name : name.test(found)), String(name))
      await page.keyboard.press("Enter")
    },
    write: async (name, text) => {
      await page.getByRole("textbox", { name }).first().waitFor()
      await reach((found) => name.test(found), String(name))
      await replace(page, text)
    }
  }
}

const lines = `2026-03-10T14:12:27Z ORD-104240 cancelled by bob
2026-03-10T14:13:55Z backend overloaded, orders are queued`

/** The first flowline of the README. */
const flowline = /```yaml\n(# A flowline[\s\S]*?)```/.exec(readFileSync("README.md", "utf8"))![1]!

const tour = async (page: Page, { press, write }: Hands): Promise<void> => {
  // One of the shop's patterns: one line matches, and the other shows how far it matched.
  await write(/^Grok patterns/, "%{ORDER_LINE}")
  await write(/^Log lines/, lines)
  await page.getByText("1 of 2 lines match (50%)").waitFor()
  if (await page.getByRole("button", { name: "Next miss" }).isEnabled()) await press("button", "Next miss")
  await page.getByText("%{ORDER_ID:order}").first().waitFor()

  // The configuration.
  await press("link", "Guide")
  await press("link", "Configuration")
  await press("link", "custom")
  await page
    .getByText(/ORDER_LINE/)
    .first()
    .waitFor()

  // A flowline is saved and run.
  await press("link", "Flowlines")
  await press("link", "New flowline")
  await write(/^Flowline\./, flowline)
  await page.getByRole("region", { name: "Problems" }).getByText("No problems").waitFor()
  await press("button", "Save")
  await page.getByText("Version 1, saved").waitFor()
  await press("button", "Run")
  await page.getByRole("dialog").waitFor()
  await press("button", "Run")
  await page.waitForURL(/\/console\/runs\/.+/)
  await page.getByText("succeeded", { exact: true }).first().waitFor()
  await page.getByText("24,000 read, 154 written").waitFor()

  // Its archive.
  await press("link", "Archive")
  await page.getByText("failed.csv").first().waitFor()

  // A channel of long-running jobs.
  await press("link", "Channels")
  await press("link", "apache")
  await press("button", "Start apache")
  await page.getByRole("row").filter({ hasText: "active" }).first().waitFor()
  await press("button", "Stop apache")
  await page.getByRole("row").filter({ hasText: "stopped" }).first().waitFor()
}

layer(Console.layer, { excludeTestServices: true })("the tour of the README", (it) => {
  for (const [name, hands] of [
    ["by mouse", mouse],
    ["by keyboard alone", keyboard]
  ] as const) {
    it.effect(`is done ${name}`, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        const { page, complaints } = yield* Effect.acquireRelease(
          Effect.promise(() => open(browser, `${gateway.url}/`)),
          ({ page }) => Effect.promise(() => page.context().close())
        )
        yield* Effect.promise(() => tour(page, hands(page)))
        assert.deepStrictEqual(complaints, [])
      })
    )
  }
})
