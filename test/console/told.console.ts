import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { admin } from "../../packages/console/src/texts/en.ts"
import { boxOf, cursorBehind, flowline, saved } from "./flowlinePages.ts"
import { Console, escape, visit } from "./support.ts"

/** Holds back what changes something at these addresses. The returned functions let the calls through, in their order. */
const held = async (page: Page, address: RegExp) => {
  const waiting: Array<() => void> = []
  let tell = () => {}
  await page.route(address, async (route) => {
    if (route.request().method() === "GET") return route.continue()
    await new Promise<void>((done) => {
      waiting.push(done)
      tell()
    })
    return route.continue().catch(() => {})
  })
  return {
    waiting,
    count: (count: number) =>
      new Promise<void>((done) => {
        tell = () => {
          if (waiting.length >= count) done()
        }
        tell()
      })
  }
}

layer(Console.layer, { excludeTestServices: true })("what the gateway tells late", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  inPage("is shown one after the other, if it can be shown once only: keys", "admin/keys", async (page) => {
    const { waiting, count } = await held(page, /\/v1\/mytenant\/keys/)
    const form = page.getByRole("dialog", { name: "Make a key" })
    for (const [at, name] of ["one", "two"].entries()) {
      await page.getByRole("button", { name: "Make a key" }).first().click()
      await form.getByRole("textbox", { name: /^Name/ }).fill(name)
      await page.keyboard.press("Enter")
      await count(at + 1)
      await escape(page, form)
    }
    const [one, two] = ["one", "two"].map((name) => page.getByRole("dialog", { name: `The key ${name}` }))
    waiting[0]!()
    await one!.waitFor()
    waiting[1]!()
    await page.getByRole("row").filter({ hasText: "two" }).waitFor()
    const first = await one!.getByRole("textbox").inputValue()
    await escape(page, one!)
    const second = await two!.getByRole("textbox").inputValue()
    assert.match(first, /^fgk_/)
    assert.match(second, /^fgk_/)
    assert.notStrictEqual(first, second)
    await escape(page, two!)
    await form.waitFor({ state: "detached" })
  })

  it.effect("is shown one after the other, if it can be shown once only: tokens; and takes nobody away", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      const id = yield* Effect.promise(() => saved(gateway.url, flowline("scheduled")))
      yield* visit(`flowlines/${id}/schedules`, async (page) => {
        const dialog = page.getByRole("dialog", { name: "New schedule" })
        const begin = async (name: string) => {
          await page.getByRole("button", { name: "New schedule" }).click()
          await dialog.getByRole("textbox", { name: "Name" }).fill(name)
          await dialog.getByRole("combobox", { name: "When it runs" }).selectOption("When a webhook is called")
          await dialog.getByRole("combobox", { name: /^body/ }).selectOption("parameters")
          await dialog.getByRole("button", { name: "Save" }).click()
        }
        await begin("before")
        await escape(page, page.getByRole("dialog", { name: "Token of before" }))
        const { waiting, count } = await held(page, /\/v1\/mytenant\/schedules\//)
        for (const [at, name] of ["one", "two"].entries()) {
          await begin(name)
          await count(at + 1)
          await escape(page, dialog)
        }
        await page.getByRole("row").filter({ hasText: "before" }).click()
        await page.waitForURL(/schedule=before/)
        const [one, two] = ["one", "two"].map((name) => page.getByRole("dialog", { name: `Token of ${name}` }))
        waiting[0]!()
        await one!.waitFor()
        waiting[1]!()
        await page.getByRole("row").filter({ hasText: "two" }).waitFor()
        await escape(page, one!)
        await escape(page, two!)
        await page.getByRole("region", { name: "Schedule before" }).waitFor()
        assert.match(page.url(), /schedule=before/)
      })
    })
  )

  inPage("is not lost with the page that was left before it could be shown", "admin/keys", async (page) => {
    const { waiting, count } = await held(page, /\/v1\/mytenant\/keys/)
    const form = page.getByRole("dialog", { name: "Make a key" })
    for (const [at, name] of ["three", "four"].entries()) {
      await page.getByRole("button", { name: "Make a key" }).first().click()
      await form.getByRole("textbox", { name: /^Name/ }).fill(name)
      await page.keyboard.press("Enter")
      await count(at + 1)
      await escape(page, form)
    }
    waiting[0]!()
    await page.getByRole("dialog", { name: "The key three" }).waitFor()
    waiting[1]!()
    await page.getByRole("row").filter({ hasText: "four" }).waitFor()
    await page.evaluate(() => {
      history.pushState(null, "", "/console/guide/platform")
      dispatchEvent(new PopStateEvent("popstate"))
    })
    await page.getByText(admin.keys.unseen("four")).waitFor()
    assert.strictEqual(await page.getByText(admin.keys.unseen("three")).count(), 0)
  })

  it.effect("is not shown once it is void: of two tokens of a schedule the newer", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      const id = yield* Effect.promise(() => saved(gateway.url, flowline("renewed")))
      yield* visit(`flowlines/${id}/schedules`, async (page) => {
        const dialog = page.getByRole("dialog", { name: "New schedule" })
        await page.getByRole("button", { name: "New schedule" }).click()
        await dialog.getByRole("textbox", { name: "Name" }).fill("hook")
        await dialog.getByRole("combobox", { name: "When it runs" }).selectOption("When a webhook is called")
        await dialog.getByRole("combobox", { name: /^body/ }).selectOption("parameters")
        await dialog.getByRole("button", { name: "Save" }).click()
        const shown = page.getByRole("dialog", { name: "Token of hook" })
        await escape(page, shown)
        const { waiting, count } = await held(page, /\/v1\/mytenant\/schedules\/hook\/token/)
        const confirm = page.getByRole("dialog", { name: "New token" })
        for (const at of [1, 2]) {
          await page.getByRole("button", { name: "New token" }).click()
          await confirm.getByRole("button", { name: "New token" }).click()
          await count(at)
          await escape(page, confirm)
        }
        waiting[0]!()
        await shown.waitFor()
        const answer = page.waitForResponse(/\/schedules\/hook\/token/)
        waiting[1]!()
        const { token } = (await (await answer).json()) as { readonly token: string }
        await shown.filter({ hasText: token }).waitFor()
        await escape(page, shown)
        await shown.waitFor({ state: "detached" })
      })
    })
  )

  it.effect("of a try that fails after its text was changed is shown", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      const id = yield* Effect.promise(() => saved(gateway.url, flowline("trying")))
      yield* visit(`flowlines/${id}`, async (page) => {
        await boxOf(page, "parse").waitFor()
        let fail = () => {}
        const isFailing = new Promise<void>((done) => {
          fail = done
        })
        let tell = () => {}
        const isAsked = new Promise<void>((done) => {
          tell = done
        })
        await page.route(/\/flowline\/try/, async (route) => {
          if (!route.request().postData()?.includes('name="samples"')) return route.continue()
          tell()
          await isFailing
          return route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            json: { type: "/problems/overloaded", status: 503, title: "Overloaded", detail: "No room for a try" }
          })
        })
        await page.getByRole("button", { name: "Try it" }).click()
        await page.getByRole("button", { name: "Try", exact: true }).click()
        await isAsked
        await cursorBehind(page, "name: trying")
        await page.keyboard.type("-again")
        await boxOf(page, "parse").waitFor()
        fail()
        await page.getByRole("alert").filter({ hasText: "No room for a try" }).waitFor()
      })
    })
  )

  it.effect("of a try that has failed is gone with the text that was tried", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Console
      const id = yield* Effect.promise(() => saved(gateway.url, flowline("tried")))
      yield* visit(`flowlines/${id}`, async (page) => {
        await boxOf(page, "parse").waitFor()
        await page.route(/\/flowline\/try/, (route) =>
          route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            json: { type: "/problems/overloaded", status: 503, title: "Overloaded", detail: "No room for a try" }
          })
        )
        await page.getByRole("button", { name: "Try it" }).click()
        await page.getByRole("button", { name: "Try", exact: true }).click()
        const alert = page.getByRole("alert").filter({ hasText: "No room for a try" })
        await alert.waitFor()
        await cursorBehind(page, "name: tried")
        await page.keyboard.type("-again")
        await alert.waitFor({ state: "detached" })
      })
    })
  )
})
