import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Console, editor, open } from "./support.ts"

const typed = "%{LOGLEVEL"

layer(Console.layer, { excludeTestServices: true })("typing on a slow processor", (it) => {
  it.effect("keeps all keys, in their order", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/`)
        const patterns = editor(page, /^Grok patterns/)
        const tools = await page.context().newCDPSession(page)
        await tools.send("Emulation.setCPUThrottlingRate", { rate: 6 })
        await patterns.focus()
        const texts: Array<string> = []
        for (let round = 0; round < 10; round++) {
          await page.keyboard.press("ControlOrMeta+a")
          await page.keyboard.insertText("")
          await page.keyboard.type(typed)
          // The page renders the effect of the last key before it answers.
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
          texts.push((await patterns.innerText()).slice(0, typed.length))
        }
        await page.context().close()
        assert.deepStrictEqual(
          texts,
          texts.map(() => typed)
        )
      })
    })
  )
})
