import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, vi } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core"
import { patience } from "../support/process.ts"
import { type Running, type Site, site } from "../support/process-gateway.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** A page with what it complained of: failed scripts, refusals of its policy, requests to others. */
export interface Seen {
  readonly page: Page
  readonly complaints: Array<string>
}

/** A browser without a window. What is waited for in it has as long as everything else that tests wait for. */
export const launch = (...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", ...args] })
      browser.on("context", (context) => context.setDefaultTimeout(patience))
      return browser
    }),
    (browser) => Effect.promise(() => browser.close())
  )

export const launched = launch()

/** A gateway in a process of its own, and a browser. */
export class Console extends Context.Service<
  Console,
  { readonly site: Site; readonly gateway: Running; readonly browser: Browser }
>()("test/console/Console") {
  /** The gateway has these variables of its environment. */
  static readonly with = (variables: Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope>) =>
    Layer.effect(
      Console,
      Effect.gen(function* () {
        const browser = yield* launched
        const place = yield* site({ variables: yield* variables })
        const gateway = yield* Effect.promise(() => place.start())
        return Console.of({ site: place, gateway, browser })
      })
    )

  static readonly layerWith = (variables: Readonly<Record<string, string>>) => Console.with(Effect.succeed(variables))

  static readonly layer = Console.layerWith({})
}

/** Opens a page in a browser context of its own, so that it shares nothing with others. */
export const open = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  ready?: Ready
): Promise<Seen> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  return watched(await context.newPage(), url, ready)
}

/** What tells that a page is there. */
type Ready = (page: Page) => Locator

/** Notes failed scripts, dialogs and refusals of a page. */
export const listen = (page: Page, complaints: Array<string>): void => {
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    // The browser notes every answer with a status of 400 or more: refused patterns are such.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text())
    }
  })
  page.on("dialog", (dialog) => {
    complaints.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
}

/** Notes what the page complains of, and opens the address. */
export const watched = async (
  page: Page,
  url: string,
  ready: Ready = (page) => page.getByRole("main").getByRole("heading", { level: 1 })
): Promise<Seen> => {
  const complaints: Array<string> = []
  const own = new URL(url).origin
  listen(page, complaints)
  page.on("request", (request) => {
    if (!request.url().startsWith(own) && !/^(data|blob):/.test(request.url())) complaints.push(request.url())
  })
  await page.goto(url)
  await ready(page).waitFor()
  // What stands on the front page until it is loaded.
  await page.locator("textarea[class*='early']").first().waitFor({ state: "detached" })
  return { page, complaints }
}

/** Does something in a page of its own, which complains of nothing and runs no markup. */
export const visit = (
  path: string,
  run: (page: Page, url: string, data: string) => Promise<void>,
  options: BrowserContextOptions = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { gateway, browser, site } = yield* Console
      const { page, complaints } = yield* Effect.acquireRelease(
        Effect.promise(() => open(browser, `${gateway.url}/console/${path}`, options)),
        ({ page }) => Effect.promise(() => page.context().close())
      )
      yield* Effect.promise(async () => {
        await run(page, gateway.url, site.data)
        assert.deepStrictEqual(complaints, [])
        assert.isUndefined(await page.evaluate(() => globalThis.ran))
      })
    })
  )

/** What axe finds against WCAG 2.2 AA and its own best practices. The test's script needs no leave of the page's policy. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  const found = await page.evaluate(() => globalThis.axe.run())
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}

/** Whether something is wider than the window, and nothing scrolls to it. */
export const isWide = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

/** Opens pages in light and dark colours, wide and narrow: axe finds no fault, and nothing is wider than the window. */
export const faultless = async (page: Page, pages: ReadonlyArray<readonly [url: string, shows: Locator]>) => {
  for (const [url, shows] of pages) {
    await page.goto(url)
    await shows.first().waitFor()
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 1280],
      ["dark", 360],
      ["light", 360]
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      assert.deepStrictEqual([url, colorScheme, width, await violations(page)], [url, colorScheme, width, []])
      assert.deepStrictEqual([url, width, await isWide(page)], [url, width, false])
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
}

/** Notes in the page what moves that nobody has moved; to be added before its scripts. */
export const noteShifts = () => {
  const shifts: Array<{ value: number; moved: string }> = []
  Object.assign(globalThis, { shifts })
  new PerformanceObserver((list) => {
    for (const { value, sources, hadRecentInput } of list.getEntries() as Array<LayoutShift>) {
      if (hadRecentInput) continue
      shifts.push({ value, moved: sources.map(({ node }) => node?.className ?? node?.nodeName).join(" ") })
    }
  }).observe({ type: "layout-shift", buffered: true })
}

export const shiftsOf = (page: Page) =>
  page.evaluate(async () => {
    // A shift is told after the frame that has it.
    for (let frame = 0; frame < 3; frame++) await new Promise((done) => requestAnimationFrame(done))
    return globalThis.shifts
  })

/** The editor of this name, which a keyboard types into. */
export const editor = (page: Page, name: RegExp) => page.getByRole("textbox", { name })

/**
 * Makes an assertion until it holds. A page draws what a key or a click has done in a later frame: who looks at once
 * sees what was there before.
 */
export const soon = (holds: () => Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: patience, interval: 20 })

/** Waits until the keyboard types into this editor. */
export const typesInto = (page: Page, name: RegExp): Promise<void> =>
  editor(page, name).and(page.locator(":focus")).waitFor()

/** Closes a dialog by Escape, and waits until the page has taken it away: one that is only hidden has no role any more. */
export const escape = async (page: Page, dialog: Locator): Promise<void> => {
  await dialog.waitFor()
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "hidden" })
  await page.locator("dialog:not([open])").waitFor({ state: "detached" })
}

/** Puts a text in the place of what an editor has, as pasting does. */
export const fill = async (page: Page, name: RegExp, text: string): Promise<void> => {
  await editor(page, name).focus()
  await typesInto(page, name)
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.insertText(text)
}

/** The line that says how many lines match. */
export const rate = (page: Page) => page.getByRole("status").filter({ hasText: /match/ })
