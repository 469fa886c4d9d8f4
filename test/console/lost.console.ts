import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Console, editor, escape, fill, open, rate, soon } from "./support.ts"

const lines = /^Log lines/
const patterns = /^Grok patterns/

layer(Console.layer, { excludeTestServices: true })("a page that loses things", (it) => {
  it.effect("goes on with every character when its gateway was killed and started again", () =>
    Effect.gen(function* () {
      const { site, browser } = yield* Console
      yield* Effect.promise(async () => {
        const gateway = await site.start()
        const { page } = await open(browser, `${gateway.url}/console/`)
        await fill(page, lines, "before 1")
        await fill(page, patterns, "%{WORD:w} %{INT:n}")
        await rate(page).filter({ hasText: "1 of 1" }).waitFor()
        await gateway.kill("SIGKILL")
        await editor(page, lines).focus()
        await page.keyboard.press("ControlOrMeta+End")
        await page.keyboard.type("\nwhile it is away 22")
        await page.getByText("The gateway does not answer").waitFor()
        // Nobody reloads the page while the gateway is away, but a page may crash: what was typed is in the browser.
        await soon(async () => {
          const kept = await page.evaluate(() => Object.values(localStorage).join(""))
          assert.include(kept, String.raw`before 1\nwhile it is away 22`)
        })
        // The files of the page were loaded before.
        for (const name of ["History", "Share", "Use in a flowline"]) {
          await page.getByRole("button", { name, exact: true }).click()
          await escape(page, page.getByRole("dialog", { name }))
        }
        await editor(page, lines).focus()
        await page.keyboard.press("ControlOrMeta+End")
        await page.keyboard.type("!")
        const again = await site.start({ FLOW_PORT: String(gateway.port) })
        await page.getByText("The gateway does not answer").waitFor({ state: "hidden" })
        await rate(page).filter({ hasText: "2 of 2 lines match" }).waitFor()
        assert.include(await editor(page, lines).innerText(), "while it is away 22!")
        await page.reload()
        await rate(page).filter({ hasText: "2 of 2 lines match" }).waitFor()
        assert.include(await editor(page, lines).innerText(), "while it is away 22!")
        await page.context().close()
        await again.kill("SIGTERM")
      })
    })
  )

  it.effect("is not mixed up with another tab, not even with its copy", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/`)
        await fill(page, lines, "one 1")
        await fill(page, patterns, "%{WORD:one} %{INT:n}")
        await rate(page).filter({ hasText: "1 of 1" }).waitFor()
        // A tab that is opened by a page gets a copy of its session storage.
        const [copy] = await Promise.all([
          page.waitForEvent("popup"),
          page.evaluate(() => void window.open(location.href.replace(/#.*/, "")))
        ])
        await copy.getByRole("button", { name: "Pattern bank" }).waitFor()
        await fill(copy, lines, "two 2")
        await rate(copy).filter({ hasText: "1 of 1" }).waitFor()
        await fill(page, lines, "three 3")
        for (const [tab, text] of [
          [page, "three 3"],
          [copy, "two 2"]
        ] as const) {
          await tab.evaluate(() => history.replaceState(null, "", location.pathname))
          await tab.reload()
          await rate(tab).filter({ hasText: "1 of 1" }).waitFor()
          assert.strictEqual((await editor(tab, lines).innerText()).trim(), text)
        }
        await page.context().close()
      })
    })
  )

  it.effect("ends the test of a text that was changed", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/`)
        await rate(page).filter({ hasText: "3 of 4" }).waitFor()
        // The first test is never answered, and its outcome is recorded.
        await page.evaluate(() => {
          const own = globalThis.fetch
          const noted = { asked: 0, ended: 0 }
          const patched: typeof fetch = (input, init) => {
            if (!String(input).includes("/v1/flower/grok")) return own(input, init)
            noted.asked += 1
            if (noted.asked > 1) return own(input, init)
            return new Promise((_, reject) => {
              init?.signal?.addEventListener("abort", () => {
                noted.ended += 1
                reject(init.signal?.reason)
              })
            })
          }
          Object.assign(globalThis, { noted, fetch: patched })
        })
        await fill(page, patterns, "%{WORD:former}")
        await page.waitForFunction(() => globalThis.noted.asked === 1)
        await fill(page, patterns, "%{WORD:latter}")
        await page
          .getByRole("table")
          .getByRole("row", { name: /^latter/ })
          .waitFor()
        assert.deepStrictEqual(await page.evaluate(() => globalThis.noted.ended), 1)
        await page.context().close()
      })
    })
  )
})
