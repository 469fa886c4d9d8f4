import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { files, inEditor, markup, state, structure, ticks } from "./jobs.ts"
import { clientOf, consoleOf, tenant } from "./pages.ts"
import { Console, editor, open, soon, violations, visit } from "./support.ts"

layer(consoleOf(files), { excludeTestServices: true })("files of channels", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  inPage(
    "name the file, the line and the column of each fault, and save nothing then",
    "channels/shop?view=files",
    async (page, url) => {
      await inEditor(page, "ticks.yaml", ticks().replace("generator_input\n", `generatr_input\n`))
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("alert").getByText("Nothing was saved").waitFor()
      await page.getByRole("button", { name: "channel_structure.yaml" }).click()
      await page.getByRole("alert").getByRole("button", { name: "ticks.yaml, line 3, column 11" }).click()
      await editor(page, /^ticks\.yaml/).waitFor()
      assert.include(
        await editor(page, /^ticks\.yaml/)
          .locator(".fault")
          .first()
          .innerText(),
        "generatr_input"
      )
      const { files: kept } = await clientOf(url).channels.files({ params: { tenant, channel: "shop" } })
      assert.strictEqual(kept["ticks.yaml"], ticks(markup))
      assert.deepStrictEqual(await violations(page), [])
      await page.getByRole("button", { name: "Discard changes" }).click()
      await page.getByRole("button", { name: "Save", disabled: true }).waitFor()
    }
  )

  it.effect("are not overwritten by whoever saves last: the other version is shown", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const params = { tenant, channel: "two" }
        const before = { "channel_structure.yaml": structure("{ name: a, runtime: stream }"), "a.yaml": ticks("one") }
        const client = clientOf(gateway.url)
        await client.channels.save({ params, payload: { files: before } })
        const address = `${gateway.url}/console/channels/two?view=files&file=a.yaml`
        const { page } = await open(browser, address)
        const { page: other } = await open(browser, address)
        await inEditor(page, "a.yaml", ticks("mine"))
        await inEditor(other, "a.yaml", ticks("theirs"))
        await other.getByRole("button", { name: "Save" }).click()
        await other.getByText("two is saved").waitFor()
        await page.getByRole("button", { name: "Save" }).click()
        const dialog = page.getByRole("dialog", { name: "Somebody else has changed this channel" })
        await dialog.getByText(/"theirs"/).waitFor()
        await dialog.getByText(/"mine"/).waitFor()
        assert.deepStrictEqual(await violations(page), [])
        await dialog.getByRole("button", { name: "Go on editing" }).click()
        await soon(async () => assert.include(await editor(page, /^a\.yaml/).innerText(), '"mine"'))
        assert.include((await client.channels.files({ params })).files["a.yaml"], '"theirs"')
        // The draft of a tab survives a reload.
        await page.reload()
        await page.getByText("Somebody has saved this channel since you began").waitFor()
        await soon(async () => assert.include(await editor(page, /^a\.yaml/).innerText(), '"mine"'))
        await page.getByRole("button", { name: "Save" }).click()
        await dialog.getByRole("button", { name: "Save mine over theirs" }).click()
        await page.getByText("two is saved").waitFor()
        assert.include((await client.channels.files({ params })).files["a.yaml"], '"mine"')
        // What is typed while it is saved stays, and what was saved stays in the editor.
        let answer = () => {}
        const answered = new Promise<void>((done) => {
          answer = done
        })
        await page.route(/\/channels\/two/, async (route) => {
          if (route.request().method() === "PUT") await answered
          await route.continue()
        })
        await inEditor(page, "a.yaml", ticks("saved"))
        await page.getByText("Not saved yet").waitFor()
        await page.keyboard.press("ControlOrMeta+s")
        await page.getByRole("button", { name: "Save", disabled: true }).waitFor()
        await page.keyboard.insertText("# typed meanwhile")
        answer()
        await page.getByRole("button", { name: "Save", disabled: false }).waitFor()
        await page.getByText("Not saved yet").waitFor()
        assert.include((await client.channels.files({ params })).files["a.yaml"], '"saved"')
        assert.include(await editor(page, /^a\.yaml/).innerText(), "# typed meanwhile")
        await page.keyboard.press("ControlOrMeta+s")
        await soon(async () =>
          assert.include((await client.channels.files({ params })).files["a.yaml"], "# typed meanwhile")
        )
        await page.context().close()
        await other.context().close()
      })
    })
  )
})

layer(consoleOf(), { excludeTestServices: true })("channels of a gateway that goes away", (it) => {
  it.effect("teach what they are, and go on with all that was typed and printed when it is back", () =>
    Effect.gen(function* () {
      const { gateway, site, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/channels`)
        await page.getByText("There are no channels yet").waitFor()
        await page.getByText("curl -X PUT").waitFor()
        assert.deepStrictEqual(await violations(page), [])
        const params = { tenant, channel: "lasts" }
        const given = { "channel_structure.yaml": structure("{ name: a, runtime: stream }"), "a.yaml": ticks() }
        await clientOf(gateway.url).channels.save({ params, payload: { files: given } })
        await state(page, "lasts").waitFor()
        await page.getByRole("link", { name: "lasts" }).click()
        await page.getByRole("button", { name: "Start lasts", exact: true }).click()
        await page.getByRole("log").getByText(/tick/).first().waitFor()
        const { page: writer } = await open(browser, `${gateway.url}/console/channels/lasts?view=files&file=a.yaml`)
        await inEditor(writer, "a.yaml", ticks("before"))
        await gateway.kill("SIGKILL")
        await writer.getByText("The gateway does not answer").first().waitFor()
        await inEditor(writer, "a.yaml", ticks("typed while it is away"))
        await writer.getByRole("button", { name: "Save" }).click()
        await writer.getByText("Your changes are kept in this tab").waitFor()
        await page.getByText("The gateway does not answer").first().waitFor()
        const again = await site.start({ FLOW_PORT: String(gateway.port) })
        await writer.getByText("Your changes are kept in this tab").waitFor()
        await writer.getByRole("button", { name: "Save" }).click()
        await writer.getByText("lasts is saved").waitFor()
        const { files: kept } = await clientOf(again.url).channels.files({ params })
        assert.include(kept["a.yaml"], "typed while it is away")
        // The job was restarted with the new files, and its output continues without a reload of the page.
        await page.getByRole("button", { name: "Restart lasts", exact: true }).click()
        await page.getByRole("log").getByText("typed while it is away").first().waitFor()
        await page.context().close()
        await writer.context().close()
        await again.kill("SIGTERM")
      })
    })
  )
})
