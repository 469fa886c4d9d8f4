import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import type { Page } from "playwright-core"
import { artifact, choose, contentOf, drop, form, register, sha256, tenant } from "./data.ts"
import { at, Console, editor, escape, soon, violations, visit } from "./support.ts"

layer(Console.layer, { excludeTestServices: true })("artifacts and the registry", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string, data: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  inPage("says what each part is and how to begin while it is empty", "data", async (page, url) => {
    await page.getByRole("heading", { name: "There are no artifacts yet" }).waitFor()
    await page.getByText(`${url}/v1/${tenant}/resources/upload`).waitFor()
    await page.getByRole("link", { name: "Stored resources" }).click()
    await page.getByRole("heading", { name: "There are no stored resources yet" }).waitFor()
    await page.getByRole("link", { name: "Registry" }).click()
    await page.getByRole("heading", { name: "The registry is empty" }).waitFor()
    await page.getByText(`-F path=tables/status.csv ${url}/v1/${tenant}/registry`).waitFor()
    await page.getByRole("link", { name: "Files of runs" }).click()
    await page.getByRole("heading", { name: "Nothing has been written to data yet" }).waitFor()
    // The gateway accepts the example.
    const example = await page.locator("pre").innerText()
    const saved = await fetch(`${url}/v1/${tenant}/flowline/save`, {
      method: "POST",
      body: form({ file: [example, "example.yaml"] })
    })
    assert.isTrue(saved.ok, await saved.text())
    assert.deepStrictEqual(await violations(page), [])
    // Going back returns through the views.
    await page.goBack()
    await page.getByRole("heading", { name: "The registry is empty" }).waitFor()
  })

  inPage("uploads artifacts and shows, downloads and deletes their versions", "data/artifacts", async (page, url) => {
    const table = 'status,reason\n200,OK\n503,"Service, Unavailable"\n'
    const large = randomBytes(9 * 1024 * 1024 + 77)
    await page.getByRole("button", { name: "Upload", exact: true }).click()
    await choose(page, "Choose files", [
      { name: "http status.csv", content: table },
      { name: "model.bin", content: large }
    ])
    const dialog = page.getByRole("dialog", { name: "Upload artifacts" })
    assert.isTrue(await dialog.getByRole("button", { name: "Upload 2 files" }).isDisabled())
    await dialog.getByRole("textbox", { name: /^Group/ }).fill("org.example")
    await dialog.getByRole("textbox", { name: /^Version/ }).fill("1.9.0")
    await dialog.getByRole("textbox", { name: /^Description/ }).fill("Codes and their reasons")
    await dialog.getByRole("textbox", { name: /^Keywords/ }).fill("http, status")
    // The name is derived from that of the file.
    assert.strictEqual(
      await dialog.getByRole("textbox", { name: "Artifact for http status.csv" }).inputValue(),
      "http-status"
    )
    assert.deepStrictEqual(await violations(page), [])
    await dialog.getByRole("button", { name: "Upload 2 files" }).click()
    const uploads = page.getByRole("region", { name: "Uploads" })
    await uploads.getByText("2 of 2 files stored").waitFor()
    const row = uploads.getByRole("listitem").filter({ hasText: "org.example:model:1.9.0" })
    await row.getByText("stored, digest matches").waitFor()
    await row.getByText(sha256(large)).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    // Another version, and a third one that is newer although it is not longer.
    await artifact(
      url,
      "{group: org.example, artifact: http-status, version: 1.10.0, type: FILE}",
      "codes.json",
      "[1, 2]"
    )
    await page.getByRole("button", { name: "Read again" }).click()
    const grid = page.getByRole("grid", { name: "Artifacts" })
    await grid.getByRole("row", { name: /http-status.*1\.10\.0/ }).waitFor()
    await soon(async () => assert.strictEqual(await grid.getByRole("row").count(), 3))
    await page.getByRole("checkbox", { name: "All versions" }).check()
    await grid.getByRole("row", { name: /http-status.*1\.9\.0/ }).waitFor()
    await page.getByRole("searchbox").fill("STATUS")
    await page.getByText("2 of 3 entries").waitFor()
    await grid
      .getByRole("row", { name: /1\.9\.0/ })
      .getByRole("link")
      .click()
    await page.waitForURL(at(/\/console\/data\/artifacts\/org\.example\/http-status\?q=STATUS&all=1&version=1\.9\.0$/))
    const detail = page.getByRole("region", { name: "http-status" })
    await detail.getByText("Codes and their reasons").waitFor()
    await detail.getByText(sha256(table)).waitFor()
    const cells = detail.getByRole("grid", { name: "Rows of http status.csv" })
    await cells.getByRole("gridcell", { name: "Service, Unavailable" }).waitFor()
    assert.strictEqual((await contentOf(page, detail.getByRole("link", { name: "Download" }))).toString(), table)
    await detail.getByRole("button", { name: "As text" }).click()
    await editor(page, /^Content of http status.csv/).waitFor()
    await detail.getByRole("link", { name: "1.10.0" }).click()
    await editor(page, /^Content of codes.json/).waitFor()
    assert.strictEqual((await contentOf(page, detail.getByRole("link", { name: "Download" }))).toString(), "[1, 2]")
    // The dialog deletes the selected versions, and no others.
    await detail.getByRole("button", { name: "Delete versions" }).click()
    const confirm = page.getByRole("dialog", { name: "Delete org.example:http-status" })
    assert.isTrue(await confirm.getByRole("checkbox", { name: "1.10.0" }).isChecked())
    assert.isFalse(await confirm.getByRole("checkbox", { name: "1.9.0" }).isChecked())
    assert.deepStrictEqual(await violations(page), [])
    await confirm.getByRole("button", { name: "Delete", exact: true }).click()
    await confirm.waitFor({ state: "detached" })
    await detail.getByText(sha256(table)).waitFor()
    // One that is not the newest: its dialog does not come back for the version that is shown then.
    await artifact(url, "{group: org.example, artifact: http-status, version: 1.8.0, type: FILE}", "old.txt", "old")
    await page.goto(`${url}/console/data/artifacts/org.example/http-status?version=1.8.0`)
    await detail.getByText(sha256("old")).waitFor()
    await detail.getByRole("button", { name: "Delete versions" }).click()
    await confirm.getByRole("button", { name: "Delete", exact: true }).click()
    await detail.getByText(sha256(table)).waitFor()
    await soon(async () => assert.strictEqual(await confirm.count(), 0))
    await page.goto(`${url}/console/data/artifacts/org.example/http-status?version=1.10.0`)
    await page.getByRole("alert").getByText("org.example:http-status:1.10.0").waitFor()
    await page.goto(`${url}/console/data/artifacts?type=MODEL`)
    await page.getByText("0 entries").waitFor()
  })

  inPage(
    "tells why a version cannot be uploaded, and keeps it for another try",
    "data/artifacts",
    async (page, url) => {
      await artifact(url, "{group: org.taken, artifact: taken, version: 1.9.0, type: FILE}", "taken.txt", "a build")
      await page.getByRole("button", { name: "Upload", exact: true }).click()
      await choose(page, "Choose files", [{ name: "taken.txt", content: "another build" }])
      const dialog = page.getByRole("dialog")
      await dialog.getByRole("textbox", { name: /^Group/ }).fill("org.taken")
      await dialog.getByRole("textbox", { name: /^Version/ }).fill("1.9.0")
      await dialog.getByRole("button", { name: "Upload 1 file" }).click()
      const row = page.getByRole("region", { name: "Uploads" }).getByRole("listitem")
      await row.getByRole("alert").filter({ hasText: "already exists with another build" }).waitFor()
      await row.getByRole("button", { name: "Send org.taken:taken:1.9.0 again" }).waitFor()
      await page.getByRole("button", { name: "Clear the list" }).click()
      await row.waitFor({ state: "hidden" })
    }
  )

  inPage("takes files that are dropped into folders of the registry", "data/registry", async (page, url) => {
    await drop(page, { "one.csv": "a;b\n1;2\n", "two.json": '{"two": 2}' })
    const dialog = page.getByRole("dialog", { name: "Upload to the registry" })
    await dialog.getByRole("textbox", { name: /^Into the folder/ }).fill("tables/2026")
    await dialog.getByRole("button", { name: "Upload 2 files" }).click()
    await page.getByText("2 of 2 files stored").waitFor()
    const tree = page.getByRole("treegrid", { name: "Files of the registry" })
    await tree.getByRole("row", { name: /two\.json/ }).waitFor()
    await register(url, "tables/2026/one.csv", "a;b\n1;2\n3;4\n")
    await tree.getByRole("link", { name: "one.csv" }).click()
    const detail = page.getByRole("region", { name: "tables/2026/one.csv" })
    await detail.getByRole("gridcell", { name: "4" }).waitFor()
    await detail.getByRole("link", { name: "1", exact: true }).click()
    await detail.getByText(sha256("a;b\n1;2\n")).waitFor()
    await page.waitForURL(at(/\/console\/data\/registry\/tables\/2026\/one\.csv\?version=1$/))
    assert.strictEqual((await contentOf(page, detail.getByRole("link", { name: "Download" }))).toString(), "a;b\n1;2\n")
    await detail.getByRole("button", { name: "Upload a version" }).click()
    await choose(page, "Choose files", [{ name: "whatever.csv", content: "a;b\n5;6\n" }])
    await page.getByRole("dialog").getByRole("button", { name: "Upload 1 file" }).click()
    await detail.getByRole("link", { name: "3", exact: true }).waitFor()
    assert.strictEqual(
      await (await fetch(`${url}/v1/${tenant}/registry/download/tables/2026/one.csv`)).text(),
      "a;b\n5;6\n"
    )
  })

  inPage("is walked through and deleted by keyboard", "data/registry", async (page, url) => {
    for (const path of ["keys/a.txt", "keys/b.txt"]) await register(url, path, `content of ${path}`)
    await page.reload()
    const tree = page.getByRole("treegrid")
    await tree.getByRole("row", { name: /b\.txt/ }).waitFor()
    await page.getByRole("searchbox").focus()
    await page.keyboard.type("keys")
    await tree.getByRole("row", { name: /one\.csv/ }).waitFor({ state: "hidden" })
    await tree.focus()
    const active = () =>
      page.evaluate(() => {
        const { activeElement: row } = document
        return [row?.textContent, row?.getAttribute("aria-expanded")]
      })
    await soon(async () => assert.deepStrictEqual(await active(), ["▾keys 2", "true"]))
    await page.keyboard.press("ArrowLeft")
    await soon(async () => assert.deepStrictEqual(await active(), ["▸keys 2", "false"]))
    await tree.getByRole("row", { name: /b\.txt/ }).waitFor({ state: "hidden" })
    await page.keyboard.press("ArrowRight")
    await tree.getByRole("row", { name: /b\.txt/ }).waitFor()
    await page.keyboard.press("End")
    await tree
      .getByRole("row", { name: /b\.txt/ })
      .and(page.locator(":focus"))
      .waitFor()
    await page.keyboard.press("Enter")
    const detail = page.getByRole("region", { name: "keys/b.txt" })
    await editor(page, /^Content of b.txt/).waitFor()
    await page.waitForURL(at(/\/console\/data\/registry\/keys\/b\.txt\?q=keys$/))
    const remove = detail.getByRole("button", { name: "Delete", exact: true })
    await remove.focus()
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog", { name: "Delete keys/b.txt" })
    await escape(page, dialog)
    await soon(async () => assert.strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Delete"))
    await page.keyboard.press("Enter")
    await dialog.getByRole("button", { name: "Delete", exact: true }).focus()
    await page.keyboard.press("Enter")
    await page.getByText("keys/b.txt is deleted").waitFor()
    await tree.getByRole("row", { name: /b\.txt/ }).waitFor({ state: "hidden" })
    await tree.getByRole("row", { name: /a\.txt/ }).waitFor()
    assert.strictEqual((await fetch(`${url}/v1/${tenant}/registry/metadata/keys/b.txt`)).status, 404)
  })
})
