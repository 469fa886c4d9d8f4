import { assert, layer } from "@effect/vitest"
import type { Page } from "playwright-core"
import { Console, editor, fill, rate, soon, violations, visit } from "./support.ts"

/** Would run if any part of the page treated it as something else than text. */
const hostile = [
  '<img src=x onerror="globalThis.ran = 1">',
  "<script>globalThis.ran = 1</script>",
  '"><svg/onload=globalThis.ran=1>',
  "javascript:globalThis.ran=1",
  "{{constructor.constructor('globalThis.ran=1')()}}",
  "$" + "{globalThis.ran=1}",
  "\u202eeslaf\u202c \u2066x\u2069 \u200b",
  "nul \u0000 esc \u001b[31m bell \u0007",
  "__proto__=1 constructor=2 toString=3",
  "\ud800 lone"
]

layer(Console.layer, { excludeTestServices: true })("hostile content", (it) => {
  const inPage = (name: string, run: (page: Page) => Promise<void>) =>
    it.effect(name, () =>
      visit("", async (page) => {
        await page.evaluate(() => {
          const reports: Array<string> = []
          Object.assign(globalThis, { reports })
          document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
            reports.push(`${violatedDirective} ${blockedURI}`)
          })
        })
        await run(page)
        assert.deepStrictEqual(await page.evaluate(() => globalThis.reports), [])
      })
    )

  inPage("in samples and fields is text", async (page) => {
    await fill(page, /^Log lines/, hostile.join("\n"))
    await fill(page, /^Grok patterns/, "^(?<x>%{GREEDYDATA:all})$")
    await rate(page)
      .filter({ hasText: `${hostile.length} of ${hostile.length}` })
      .waitFor()
    const rows = await page.getByRole("grid").getByRole("row").allInnerTexts()
    for (const text of hostile.slice(0, 6)) assert.include(rows.join("\n"), text)
    // Invisible characters, and those that change the direction of text, are shown as signs.
    assert.include(rows.join("\n"), "⟨U+202E⟩eslaf⟨U+202C⟩")
    assert.include(rows.join("\n"), "nul ␀ esc ␛[31m bell ␇")
    await page.getByRole("radio", { name: "Fields" }).click()
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("button", { name: "Expect all results" }).click()
    await page.getByText(`${hostile.length} of ${hostile.length} expectations hold`).waitFor()
  })

  inPage("in patterns, definitions and programs is text, in faults too", async (page) => {
    await fill(page, /^Log lines/, "x")
    for (const text of hostile) {
      await fill(page, /^Grok patterns/, `%{${text}:a} (`)
      await page.getByRole("alert").first().waitFor()
    }
    await page.getByText("Options").click()
    await fill(page, /^Definitions/, '<img onerror="globalThis.ran=1"> x')
    await page.getByRole("radio", { name: "flowlet" }).click()
    await fill(page, /^Program/, "throw new Error('<img src=x onerror=\"globalThis.ran = 1\">')")
    await page.getByRole("region", { name: "Line 1" }).getByText("The program failed").waitFor()
    await fill(
      page,
      /^Program/,
      "return { '<b onclick=1>': '<img src=x onerror=\"globalThis.ran = 1\">', ['__proto__']: 1 }"
    )
    await page.getByRole("table").getByText("<b onclick=1>").waitFor()
  })

  inPage("in a link or a file changes nothing but the text", async (page) => {
    const link = async (value: unknown) => {
      const bytes = await new Response(
        new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"))
      ).arrayBuffer()
      return `#t=${Buffer.from(bytes).toString("base64url")}`
    }
    const draft = {
      operator: "grok",
      samples: hostile.join("\n"),
      texts: { grok: "%{GREEDYDATA:x}", dissect: 7, flowlet: null },
      definitions: ["x"],
      expectations: [{ sample: hostile[0], output: { x: hostile[0] } }, { sample: 3 }, null],
      __proto__: { whole: true }
    }
    const given = await link(draft)
    await page.evaluate((hash) => (location.hash = hash), given)
    await rate(page)
      .filter({ hasText: `${hostile.length} of ${hostile.length}` })
      .waitFor()
    await page.getByText("1 of 1 expectation hold").waitFor()
    const before = await editor(page, /^Log lines/).innerText()
    for (const broken of [
      "#t=",
      "#t=!!!!",
      "#t=AAAA",
      given.slice(0, 40),
      await link("x"),
      await link({ operator: "rm" })
    ]) {
      await page.evaluate((hash) => (location.hash = hash), broken)
      await page.getByText("The link cannot be read").first().waitFor()
    }
    // A link that would decompress to a hundred megabytes is not decompressed.
    await page.evaluate(
      (hash) => (location.hash = hash),
      await link("x".repeat(100_000_000)).then((text) => text.slice(0, 16_000))
    )
    assert.strictEqual(await editor(page, /^Log lines/).innerText(), before)
  })

  inPage("of a megabyte in one line can be looked at", async (page) => {
    await page.getByRole("textbox", { name: /^Log lines/ }).evaluate((element) => {
      const data = new DataTransfer()
      data.items.add(new File([`a 1\n${"x".repeat(1024 * 1024)}\nb 2\n`], "long.log"))
      element.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true, composed: true })
      )
    })
    await fill(page, /^Grok patterns/, "^%{WORD:w} %{INT:n}$")
    await rate(page).filter({ hasText: "2 of 3 lines match" }).waitFor()
    await page.getByRole("grid").getByRole("row").filter({ hasText: "xxxx" }).click()
    await page.getByRole("region", { name: "Line 2" }).getByText("Does not match").waitFor()
  })

  inPage("of ten thousand lines is tested whole, and only what is seen is in the page", async (page) => {
    const many = Array.from({ length: 10_000 }, (_, at) => (at % 100 === 7 ? `miss ${at}` : `${at} ok`)).join("\n")
    await fill(page, /^Grok patterns/, "^%{INT:n} %{WORD:w}$")
    await fill(page, /^Log lines/, many)
    await rate(page).filter({ hasText: "9,900 of 10,000 lines match (99%)" }).waitFor()
    const grid = page.getByRole("grid")
    assert.strictEqual(await grid.getAttribute("aria-rowcount"), "10001")
    await grid.focus()
    await page.keyboard.press("End")
    await grid.getByRole("row").filter({ hasText: "9999 ok" }).waitFor()
    assert.isBelow(await grid.getByRole("row").count(), 60)
    await page.getByRole("checkbox", { name: "Only misses" }).check()
    await soon(async () => assert.strictEqual(await grid.getAttribute("aria-rowcount"), "101"))
    await grid.focus()
    await page.keyboard.press("Home")
    await grid.getByRole("row", { selected: true }).filter({ hasText: "miss 7" }).waitFor()
  })
})
