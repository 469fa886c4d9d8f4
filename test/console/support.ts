import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, vi } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core"
import { patience } from "../support/process.ts"
import { type Running, type Site, site } from "../support/process-gateway.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** A page with its complaints: failed scripts, violations of its policy, requests to other sites. */
export interface Seen {
  readonly page: Page
  readonly complaints: Array<string>
}

const chrome = "/usr/bin/chromium"
const shell = "/usr/bin/chromium-headless-shell"

const launchFrom = (executablePath: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", ...args] })
      browser.on("context", (context) => context.setDefaultTimeout(patience))
      return browser
    }),
    (browser) => Effect.promise(() => browser.close())
  )

/**
 * A headless browser. It waits as long as other tests do. The shell, where it is installed, is the same engine without
 * what surrounds a page: opening one takes it a third of the processor time.
 */
export const launch = (...args: ReadonlyArray<string>) => launchFrom(existsSync(shell) ? shell : chrome, args)

export const launched = launch()

/** The whole browser. It draws a page when its readers would see it: the shell also draws what is still being made. */
export const launchedWhole = launchFrom(chrome, [])

/** A gateway in a separate process, and a browser. */
export class Console extends Context.Service<
  Console,
  { readonly site: Site; readonly gateway: Running; readonly browser: Browser }
>()("test/console/Console") {
  /** Additional environment variables of the gateway. */
  static readonly with = (
    variables: Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope>,
    launching = launched
  ) =>
    Layer.effect(
      Console,
      Effect.gen(function* () {
        const browser = yield* launching
        const place = yield* site({ variables: yield* variables })
        const gateway = yield* Effect.promise(() => place.start())
        return Console.of({ site: place, gateway, browser })
      })
    )

  static readonly layerWith = (variables: Readonly<Record<string, string>>) => Console.with(Effect.succeed(variables))

  static readonly layer = Console.layerWith({})

  static readonly layerWhole = Console.with(Effect.succeed({}), launchedWhole)
}

/** Opens a page in a separate browser context, so that it shares nothing with others. */
export const open = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  ready?: Ready
): Promise<Seen> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  return watched(await context.newPage(), url, ready)
}

/** An element that shows that a page is present. */
type Ready = (page: Page) => Locator

/** An address without the tenant that it names. */
export const withoutTenant = (address: string): string =>
  address.replace(/([?&])tenant=[^&#]*(&?)/, (_, before, after) => (after === "" ? "" : before))

/** Whether an address without its tenant is this, for `waitForURL`. */
export const at =
  (expected: RegExp | string) =>
  ({ href }: URL): boolean => {
    const address = withoutTenant(href)
    return typeof expected === "string" ? address === expected : expected.test(address)
  }

/** Records failed scripts, dialogs and policy violations of a page. */
export const listen = (page: Page, complaints: Array<string>): void => {
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    // The browser logs every answer with a status from 400 on, such as those to refused patterns.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text())
    }
  })
  page.on("dialog", (dialog) => {
    complaints.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
}

/** Records the complaints of the page, and opens the address. */
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
  // The placeholder of the front page until it is loaded.
  await page.locator("textarea[class*='early']").first().waitFor({ state: "detached" })
  return { page, complaints }
}

/** Performs a test in a separate page, which must neither complain nor run markup. */
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
        // What a handler of requests is still doing then fails, which is no fault.
        ({ page }) =>
          Effect.promise(async () => {
            await page.unrouteAll({ behavior: "ignoreErrors" })
            await page.context().close()
          })
      )
      yield* Effect.promise(async () => {
        await run(page, gateway.url, site.data)
        assert.deepStrictEqual(complaints, [])
        assert.isUndefined(await page.evaluate(() => globalThis.ran))
      })
    })
  )

/**
 * The violations that axe finds of WCAG 2.2 AA and its best practices. The page's policy does not apply to the test's
 * script.
 */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe)
  // Most of what axe finds is no violation: writing that down takes longer than finding it.
  return page.evaluate(async () => {
    const found = await globalThis.axe.run({ resultTypes: ["violations"] })
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
  })
}

/** Whether something is wider than the window and cannot be scrolled to. */
export const isWide = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

/**
 * Opens pages in light and dark colours, wide and narrow: axe finds no violation, and nothing is wider than the window.
 */
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

/** Records movements in the page that the reader did not cause. Must be added before the page's scripts. */
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
    // A shift is reported after its frame.
    for (let frame = 0; frame < 3; frame++) await new Promise((done) => requestAnimationFrame(done))
    return globalThis.shifts
  })

/** The editor of this name, to type into. */
export const editor = (page: Page, name: RegExp) => page.getByRole("textbox", { name })

/**
 * Repeats an assertion until it holds. A page renders the effect of a key or click in a later frame, so an immediate
 * check would see the old state.
 */
export const soon = (holds: () => Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: patience, interval: 20 })

/** Waits until the keyboard types into this editor. */
export const typesInto = (page: Page, name: RegExp): Promise<void> =>
  editor(page, name).and(page.locator(":focus")).waitFor()

/** Closes a dialog by Escape, and waits until the page has removed it: a merely hidden dialog has no role any more. */
export const escape = async (page: Page, dialog: Locator): Promise<void> => {
  await dialog.waitFor()
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "hidden" })
  await page.locator("dialog:not([open])").waitFor({ state: "detached" })
}

/** Replaces the text of an editor, as pasting does. */
export const fill = async (page: Page, name: RegExp, text: string): Promise<void> => {
  await editor(page, name).focus()
  await typesInto(page, name)
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.insertText(text)
}

/** The line with the number of matching lines. */
export const rate = (page: Page) => page.getByRole("status").filter({ hasText: /match/ })
