import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Console, escape, open } from "./support.ts"

const bytes = (size: number) => Buffer.alloc(size, "0123456789abcdef\n")

layer(Console.layer, { excludeTestServices: true })("uploads", (it) => {
  it.effect("that break are told, and are sent again when the gateway is back", () =>
    Effect.gen(function* () {
      const { site, browser } = yield* Console
      yield* Effect.promise(async () => {
        const gateway = await site.start()
        const { page } = await open(browser, `${gateway.url}/console/data/registry`)
        const choose = async (name: string, buffer: Buffer) => {
          await page.getByRole("button", { name: "Upload", exact: true }).click()
          const dialog = page.getByRole("dialog")
          const [chooser] = await Promise.all([
            page.waitForEvent("filechooser"),
            dialog.getByRole("button", { name: "Choose files" }).click()
          ])
          await chooser.setFiles([{ name, mimeType: "text/plain", buffer }])
          return dialog
        }
        const uploads = page.getByRole("region", { name: "Uploads" })
        const rowOf = (name: string) => uploads.getByRole("listitem").filter({ hasText: name })
        const start = { name: "Upload 1 file" }
        await (await choose("first.txt", bytes(100))).getByRole("button", start).click()
        await rowOf("first.txt").getByText("stored, digest matches").waitFor()
        // Pages are loaded when they are opened.
        await page.getByRole("link", { name: "Tester" }).click()
        await page.getByRole("button", { name: "Pattern bank" }).waitFor()
        await page.goBack()
        // A stalled gateway: uploads to it stay in progress until the reader cancels them.
        gateway.process.kill("SIGSTOP")
        await (await choose("cancelled.txt", bytes(20_000_000))).getByRole("button", start).click()
        const cancelled = rowOf("cancelled.txt")
        await cancelled.getByText("sending").waitFor()
        await cancelled.getByRole("progressbar", { name: "Progress of cancelled.txt" }).waitFor()
        await cancelled.getByRole("button", { name: "Cancel cancelled.txt" }).click()
        await cancelled.getByText("cancelled", { exact: true }).waitFor()
        // The reader visits other pages meanwhile.
        await (await choose("broken.txt", bytes(20_000_000))).getByRole("button", start).click()
        await page.getByRole("link", { name: "Tester" }).click()
        await page.getByRole("button", { name: "Pattern bank" }).waitFor()
        await page.getByRole("link", { name: "Data" }).click()
        await rowOf("broken.txt").getByText("sending").waitFor()
        await page.getByRole("link", { name: "Registry" }).click()
        // Text that is typed when the gateway dies is kept.
        const dialog = await choose("typed.txt", bytes(10))
        await dialog.getByRole("textbox", { name: "Path for typed.txt" }).fill("kept/typed.txt")
        await gateway.kill("SIGKILL")
        await page.getByText("The gateway does not answer. What you type is kept").waitFor()
        await escape(page, dialog)
        await rowOf("broken.txt").getByRole("alert").getByText("The connection broke.").waitFor()
        const again = await choose("typed.txt", bytes(10))
        await again.getByRole("textbox", { name: "Path for typed.txt" }).fill("kept/typed.txt")
        await again.getByRole("button", start).click()
        await rowOf("kept/typed.txt").getByRole("alert").waitFor()
        const restarted = await site.start({ FLOW_PORT: String(gateway.port) })
        await page.getByText("The gateway does not answer. What you type is kept").waitFor({ state: "hidden" })
        for (const name of ["broken.txt", "cancelled.txt", "kept/typed.txt"]) {
          await uploads.getByRole("button", { name: `Send ${name} again` }).click()
          await rowOf(name).getByText("stored, digest matches").waitFor()
        }
        await uploads.getByText("4 of 4 files stored").waitFor()
        await page.getByRole("treegrid").getByRole("link", { name: "typed.txt" }).waitFor()
        const list = (await (await fetch(`${restarted.url}/v1/mytenant/registry`)).json()) as ReadonlyArray<{
          readonly name: string
          readonly version: number
        }>
        assert.deepStrictEqual(
          list.map(({ name, version }) => [name, version]),
          [
            ["broken.txt", 1],
            ["cancelled.txt", 1],
            ["first.txt", 1],
            ["kept/typed.txt", 1]
          ]
        )
        await page.context().close()
        await restarted.kill("SIGTERM")
      })
    })
  )

  it.effect("of another tab are its own, and what it stores is there when it is read again", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/data/registry`)
        const other = await page.context().newPage()
        await other.goto(`${gateway.url}/console/data/registry`)
        await page.getByRole("button", { name: "Upload", exact: true }).click()
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("dialog").getByRole("button", { name: "Choose files" }).click()
        ])
        await chooser.setFiles([{ name: "tab.txt", mimeType: "text/plain", buffer: bytes(10) }])
        await page.getByRole("dialog").getByRole("button", { name: "Upload 1 file" }).click()
        await page.getByText("1 of 1 file stored").waitFor()
        assert.strictEqual(await other.getByRole("region", { name: "Uploads" }).count(), 0)
        await other.getByRole("button", { name: "Read again" }).click()
        await other.getByRole("link", { name: "tab.txt" }).waitFor()
        await page.context().close()
      })
    })
  )

  it.effect("whose answers are lost are stored once", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/data/registry`)
        // The gateway stores the file, and the connection breaks before the answer arrives.
        await page.route("**/v1/*/registry", async (route) => {
          if (route.request().method() !== "POST") return route.continue()
          assert.strictEqual((await route.fetch()).status(), 200)
          return route.abort("connectionreset")
        })
        await page.getByRole("button", { name: "Upload", exact: true }).click()
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("dialog").getByRole("button", { name: "Choose files" }).click()
        ])
        await chooser.setFiles([{ name: "once.txt", mimeType: "text/plain", buffer: bytes(100) }])
        await page.getByRole("dialog").getByRole("button", { name: "Upload 1 file" }).click()
        const row = page.getByRole("region", { name: "Uploads" }).getByRole("listitem")
        await row.getByRole("alert").getByText("The connection broke.").waitFor()
        await page.unrouteAll()
        await row.getByRole("button", { name: "Send once.txt again" }).click()
        await row.getByText("stored, digest matches").waitFor()
        const answer = await fetch(`${gateway.url}/v1/mytenant/registry/metadata/once.txt`)
        assert.strictEqual(((await answer.json()) as { readonly version: number }).version, 1)
        await page.context().close()
      })
    })
  )

  it.effect("that are stored otherwise than they are here are told", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/data/registry`)
        // A byte changes on the way.
        await page.route("**/v1/*/registry", async (route) => {
          const body = route.request().postDataBuffer()
          if (route.request().method() !== "POST" || body === null) return route.continue()
          const at = body.indexOf("0123456789")
          body[at] = 0x58
          return route.continue({ postData: body })
        })
        await page.getByRole("button", { name: "Upload", exact: true }).click()
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("dialog").getByRole("button", { name: "Choose files" }).click()
        ])
        await chooser.setFiles([{ name: "damaged.txt", mimeType: "text/plain", buffer: bytes(100) }])
        await page.getByRole("dialog").getByRole("button", { name: "Upload 1 file" }).click()
        const row = page.getByRole("region", { name: "Uploads" }).getByRole("listitem")
        await row.getByText("stored, but not as it is here").waitFor()
        await page.unrouteAll()
        await row.getByRole("button", { name: "Send damaged.txt again" }).click()
        await row.getByText("stored, digest matches").waitFor()
        await page.context().close()
      })
    })
  )
})
