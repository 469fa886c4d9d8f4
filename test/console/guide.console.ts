import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { configuration, tenant } from "./guide.ts"
import { at, Console, editor, faultless, open, soon, violations, visit, withoutTenant } from "./support.ts"

layer(Console.with(configuration), { excludeTestServices: true })("the guide of a tenant", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  const article = (page: Page) => page.getByRole("article")

  inPage("shows the tenant's pages, whose links stay in the console", "guide", async (page, url) => {
    await article(page).getByRole("heading", { name: "mytenant", level: 2 }).waitFor()
    // The picture comes from the gateway.
    const picture = article(page).locator("img").first()
    await page.waitForFunction((img) => (img as HTMLImageElement).naturalWidth > 0, await picture.elementHandle())
    assert.match((await picture.getAttribute("src")) ?? "", new RegExp(`^${url}/v1/${tenant}/documentation/pictures/`))
    await page.evaluate(() => Object.assign(globalThis, { isSame: true }))
    await article(page).getByRole("link", { name: "Running a flowline" }).click()
    await article(page).getByRole("heading", { name: "Running a flowline", level: 2 }).waitFor()
    await page.waitForURL(at(`${url}/console/guide/documentation/flowlines`))
    assert.isTrue(await page.evaluate(() => globalThis.isSame))
    const links = page.getByRole("navigation", { name: "Pages of the documentation" })
    await links.locator('[aria-current="page"]').first().waitFor()
    await page.goBack()
    await article(page).getByRole("heading", { name: "mytenant", level: 2 }).waitFor()
    // In a subfolder, relative links start at the page.
    await page.goto(`${url}/console/guide/documentation/deep/er/page`)
    await article(page).getByRole("heading", { name: "Deep page" }).waitFor()
    await page.waitForFunction(() => (document.querySelector("article img") as HTMLImageElement).naturalWidth > 0)
    await article(page).getByRole("link", { name: "up" }).click()
    await soon(async () =>
      assert.strictEqual(withoutTenant(page.url()), `${url}/console/guide/documentation/patterns#a`)
    )
    await article(page).getByRole("heading", { name: "Testing patterns", level: 2 }).waitFor()
  })

  inPage("shows the product's pages where the tenant has none, and their anchors", "guide", async (page, url) => {
    const links = page.getByRole("navigation", { name: "Pages of the documentation" })
    await links.getByRole("link", { name: "Secrets", exact: true }).click()
    await article(page).getByRole("heading", { level: 2 }).first().waitFor()
    await page.goto(`${url}/console/guide/documentation/retention#dry-run`)
    const section = article(page).getByRole("heading", { name: "Dry run" })
    await section.waitFor()
    await page.waitForFunction(() => document.activeElement?.id === "doc-dry-run")
    await page.goto(`${url}/console/guide/documentation/endpoints`)
    await page.getByRole("navigation", { name: "On this page" }).or(article(page).getByRole("table")).first().waitFor()
    await page.goto(`${url}/console/guide/documentation/no/such/page`)
    await article(page).getByText("There is no page “no/such/page”.").waitFor()
    await article(page).getByRole("link", { name: "To the first page" }).click()
    await article(page).getByRole("heading", { name: "mytenant", level: 2 }).waitFor()
    await page.goto(`${url}/console/guide/documentation/long`)
    await article(page).getByText("too long to be rendered").waitFor()
  })

  for (const path of ["hostile", "raw.html"]) {
    inPage(`runs, loads and breaks nothing of the page ${path}`, `guide/documentation/patterns`, async (page, url) => {
      await page.evaluate(() => {
        const reports: Array<string> = []
        Object.assign(globalThis, { reports })
        document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => reports.push(violatedDirective))
      })
      await page
        .getByRole("navigation", { name: "Pages of the documentation" })
        .getByRole("link", { name: path === "hostile" ? "Hostile" : "raw.html" })
        .click()
      await article(page).getByText("end of the page").waitFor()
      for (const name of ["run", "data"]) {
        await article(page).getByText(name, { exact: true }).waitFor()
        assert.strictEqual(await article(page).getByRole("link", { name, exact: true }).count(), 0)
      }
      const protocols = await article(page)
        .getByRole("link")
        .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol))
      assert.deepStrictEqual(
        [...new Set(protocols)].filter((protocol) => !/^https?:$/.test(protocol)),
        []
      )
      await article(page).getByText("styled").click()
      const state = await page.evaluate(() => {
        const { ran, reports } = globalThis
        const made = document.querySelectorAll(
          "article :is(script, style, iframe, svg, form, math, template, base, meta)"
        )
        return {
          ran,
          reports,
          made: made.length,
          isSeen: document.body.clientHeight > 100,
          main: document.getElementById("main")?.localName
        }
      })
      assert.deepStrictEqual(state, { ran: undefined, reports: [], made: 0, isSeen: true, main: "main" })
      if (path === "hostile") {
        await article(page).getByRole("link", { name: "Picture elsewhere: elsewhere" }).waitFor()
        assert.strictEqual(await article(page).locator("img[src*='example.com']").count(), 0)
      } else {
        await article(page).getByRole("link", { name: "to patterns" }).click()
        await article(page).getByRole("heading", { name: "Testing patterns" }).waitFor()
        await page.waitForURL(at(`${url}/console/guide/documentation/patterns`))
      }
    })
  }

  inPage("finds words in all pages, the tenant's and the product's", "guide", async (page, url) => {
    await page.getByRole("searchbox", { name: "Search all pages" }).focus()
    await page.keyboard.type("zygomorphic ORCHID")
    const results = page.getByRole("region", { name: "Search all pages" })
    const status = results.getByRole("status")
    await status.filter({ hasText: /^1 page of \d+ found$/ }).waitFor()
    await results.locator("mark", { hasText: "orchid" }).waitFor()
    await page.waitForURL(at(/\?q=zygomorphic\+ORCHID$/))
    await page.keyboard.press("Tab")
    // The next links are those of the pages; the results come after them.
    await results.getByRole("link", { name: "Deep page" }).focus()
    await page.keyboard.press("Enter")
    await article(page).getByRole("heading", { name: "Deep page" }).waitFor()
    await page.goBack()
    await results.getByRole("link", { name: "Deep page" }).waitFor()
    // A problem's page, to which the navigation has no link.
    await page.goto(`${url}/console/guide/documentation?q=directory-read`)
    await status.filter({ hasText: /^\d+ pages? of \d+ found$/ }).waitFor()
    await results
      .getByRole("link", { name: /director/i })
      .first()
      .waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("searchbox").fill("qqzzxx")
    await results.getByText("No page has all of these words.").waitFor()
  })

  inPage(
    "shows the configuration's tree by keyboard, and its files in colours",
    "guide/configuration",
    async (page) => {
      const tree = page.getByRole("treegrid", { name: "Files of the configuration" })
      await tree.getByRole("row", { name: /syslog\.hjson/ }).waitFor()
      await page.getByRole("searchbox").fill("syslog.hj")
      await tree.getByRole("row", { name: /channels/ }).waitFor({ state: "hidden" })
      await tree.focus()
      await page.keyboard.press("End")
      await tree
        .getByRole("row", { name: /syslog\.hjson/ })
        .and(page.locator(":focus"))
        .waitFor()
      await page.keyboard.press("Enter")
      await soon(async () =>
        assert.match(withoutTenant(page.url()), /\/guide\/configuration\/flowlines\/syslog\.hjson\?q=syslog\.hj$/)
      )
      await editor(page, /^Content of syslog.hjson/).waitFor()
      const colour = async (text: string) =>
        page
          .getByText(text, { exact: true })
          .first()
          .evaluate((span) => getComputedStyle(span).color)
      assert.notStrictEqual(await colour("runtime"), await colour("stream"))
      await page.getByRole("searchbox").fill("")
      await tree.getByRole("link", { name: "status-codes.yaml" }).click()
      await editor(page, /^Content of status-codes.yaml/).waitFor()
      await page.getByText("No faults in its syntax").waitFor()
      await page.waitForFunction(() => {
        const hosts = [...document.querySelectorAll("*")].filter(({ shadowRoot }) => shadowRoot !== null)
        const spans = hosts.flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll(".cm-line span") ?? [])])
        return new Set(spans.map((span) => getComputedStyle(span).color)).size > 1
      })
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download" }).click()
      ])
      assert.strictEqual(download.suggestedFilename(), "status-codes.yaml")
      await tree.getByRole("link", { name: "flowlines.md" }).click()
      await page.getByRole("link", { name: "Read it as a page" }).click()
      await article(page).getByRole("heading", { name: "Running a flowline" }).waitFor()
    }
  )

  inPage("tells the faults of files, the gateway's words first", "guide/configuration", async (page, url) => {
    const faults = page.getByRole("alert")
    const show = (path: string) => page.goto(`${url}/console/guide/configuration/${path}`)
    await show("channels/broken/channel_structure.yaml")
    await faults
      .filter({ hasText: "The gateway says" })
      .getByText(/line 5, column 14: .*runtime/)
      .waitFor()
    await show("channels/apache/parse.yaml")
    await page.getByText("The gateway finds no fault in it").waitFor()
    await show("nodes/broken.py")
    await faults.filter({ hasText: "The gateway says" }).getByText("line 1: invalid syntax").waitFor()
    await show("settings/faulty.yaml")
    await faults
      .filter({ hasText: "Faults of its syntax" })
      .getByText(/^line \d, column \d+: /)
      .first()
      .waitFor()
    await show("settings/faulty.json")
    await faults.getByText(/^line 3, column 8: /).waitFor()
    await show("settings/nothing.yaml")
    await faults.getByText("There is no file settings/nothing.yaml in the configuration.").waitFor()
    await show("settings")
    await page.getByRole("searchbox").fill("ONERROR")
    await page.getByRole("link", { name: /^<img/ }).click()
    await page.getByRole("heading", { name: "settings/<img src=x onerror='globalThis.ran=1'>⟨U+202E⟩.json" }).waitFor()
    await editor(page, /^Content of <img/).waitFor()
    assert.strictEqual(await page.evaluate(() => globalThis.ran), undefined)
  })

  inPage("shows the properties of the platform, masked", "guide/platform", async (page) => {
    const text = editor(page, /^Content of platform.json/)
    await text.filter({ hasText: "********" }).waitFor()
    assert.notInclude(await text.innerText(), "not-a-real")
  })

  it.effect("goes on when a gateway that was away is back", () =>
    Effect.gen(function* () {
      const { site, browser } = yield* Console
      yield* Effect.promise(async () => {
        const gateway = await site.start()
        const { page } = await open(browser, `${gateway.url}/console/guide`)
        await article(page).getByRole("heading", { name: "mytenant", level: 2 }).waitFor()
        await gateway.kill("SIGKILL")
        await article(page).getByRole("link", { name: "Testing patterns" }).click()
        await page.getByText("The gateway does not answer. What you type is kept").waitFor()
        const again = await site.start({ FLOW_PORT: String(gateway.port) })
        await article(page).getByRole("heading", { name: "Testing patterns", level: 2 }).waitFor()
        await page.context().close()
        await again.kill("SIGTERM")
      })
    })
  )

  inPage("has no fault that axe knows, light and dark, wide and narrow", "guide", async (page, url) => {
    await faultless(page, [
      [`${url}/console/guide/documentation`, article(page).getByRole("heading", { name: "mytenant", level: 2 })],
      [`${url}/console/guide/documentation/console`, article(page).getByRole("heading", { name: "Console", level: 2 })],
      [`${url}/console/guide/configuration`, page.getByRole("treegrid")],
      [`${url}/console/guide/configuration/channels/broken/channel_structure.yaml`, page.getByText("The gateway says")],
      [`${url}/console/guide/configuration/flowlines/syslog.hjson`, editor(page, /^Content of syslog.hjson/)],
      [`${url}/console/guide/platform`, editor(page, /^Content of platform.json/)]
    ])
  })
})
