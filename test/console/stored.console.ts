import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import type { Page } from "playwright-core"
import { artifact, form, register, send, sha256, tenant } from "./data.ts"
import { Console, editor, escape, faultless, violations, visit, withoutTenant } from "./support.ts"

layer(Console.layer, { excludeTestServices: true })("stored resources and files", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string, data: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  inPage("copies, moves, registers and deletes stored resources", "data/resources", async (page, url, data) => {
    mkdirSync(join(data, "blobs", tenant, "data/exports"), { recursive: true })
    writeFileSync(join(data, "blobs", tenant, "data/exports/table.csv"), "x,y\n1,2\n")
    await page.getByRole("button", { name: "Register a file" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: /^Path in the data area/ }).fill("exports/nothing.csv")
    await dialog.getByRole("textbox", { name: /^Name of the resource/ }).fill("tables/latest.csv")
    await dialog.getByRole("textbox", { name: /^Properties/ }).fill('{"rows": 12}')
    await dialog.getByRole("button", { name: "Register a file" }).click()
    // The gateway's reason is shown, and the typed text stays.
    await dialog.getByRole("alert").filter({ hasText: "exports/nothing.csv" }).waitFor()
    await dialog.getByRole("textbox", { name: /^Path in the data area/ }).fill("exports/table.csv")
    await dialog.getByRole("button", { name: "Register a file" }).click()
    const registered = page.getByRole("region", { name: "tables/latest.csv" })
    await registered.getByText('"rows": 12').waitFor()
    await registered.getByText("registered: the file lies in the data area").waitFor()
    await registered.getByRole("gridcell", { name: "2", exact: true }).waitFor()
    // Another version, and only this one is copied.
    writeFileSync(join(data, "blobs", tenant, "data/exports/second.csv"), "x,y\n3,4\n")
    await send(`${url}/v1/${tenant}/resources/register/tables/latest.csv`, "PUT", form({ url: "exports/second.csv" }))
    await page.reload()
    await registered.getByRole("gridcell", { name: "4", exact: true }).waitFor()
    await registered.getByRole("button", { name: "Copy", exact: true }).click()
    const copying = page.getByRole("dialog", { name: "Copy tables/latest.csv" })
    await copying.getByRole("textbox", { name: "New name" }).fill("texts/copied.csv")
    await copying.getByRole("radio", { name: "Only version 2" }).check()
    await copying.getByRole("button", { name: "Copy", exact: true }).click()
    const copied = page.getByRole("region", { name: "texts/copied.csv" })
    await copied.getByRole("gridcell", { name: "4", exact: true }).waitFor()
    const versionsOf = async (name: string) => {
      const response = await fetch(`${url}/v1/${tenant}/resources/stored/${name}`)
      if (response.status === 404) return 404
      const { metadata } = (await response.json()) as { readonly metadata: ReadonlyArray<{ readonly version: number }> }
      return metadata.map(({ version }) => version).sort()
    }
    assert.deepStrictEqual(await versionsOf("texts/copied.csv"), [2])
    await copied.getByRole("button", { name: "Move", exact: true }).click()
    const moving = page.getByRole("dialog", { name: "Move texts/copied.csv" })
    await moving.getByRole("textbox", { name: "New name" }).fill("tables/latest.csv")
    await moving.getByRole("button", { name: "Move", exact: true }).click()
    await moving.getByRole("alert").filter({ hasText: "version" }).waitFor()
    await moving.getByRole("textbox", { name: "New name" }).fill("texts/moved.csv")
    await moving.getByRole("button", { name: "Move", exact: true }).click()
    await page
      .getByRole("region", { name: "texts/moved.csv" })
      .getByRole("gridcell", { name: "4", exact: true })
      .waitFor()
    assert.deepStrictEqual([await versionsOf("texts/copied.csv"), await versionsOf("texts/moved.csv")], [404, [2]])
    await page.getByRole("treegrid").getByRole("link", { name: "latest.csv" }).click()
    await registered.getByRole("button", { name: "Delete", exact: true }).click()
    const deleting = page.getByRole("dialog", { name: "Delete tables/latest.csv" })
    await deleting.getByRole("button", { name: "Delete", exact: true }).click()
    await registered.getByRole("gridcell", { name: "2", exact: true }).waitFor()
    assert.deepStrictEqual(await versionsOf("tables/latest.csv"), [1])
  })

  inPage("sweeps what nothing refers to, after it has shown it", "data/resources", async (page, _, data) => {
    await page.getByRole("button", { name: "Sweep" }).click()
    await page.getByRole("dialog").getByText("There is nothing to remove.").waitFor()
    await escape(page, page.getByRole("dialog"))
    const content = "nothing refers to this"
    const name = sha256(content)
    const folder = join(data, "blobs", tenant, "blobs", name.slice(0, 2))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), content)
    const past = new Date(Date.now() - 3 * 3600_000)
    utimesSync(join(folder, name), past, past)
    await page.getByRole("button", { name: "Sweep" }).click()
    const dialog = page.getByRole("dialog", { name: "Remove what nothing refers to" })
    await dialog.getByText("1 blob with 22 B can be removed.").waitFor()
    await dialog.getByRole("gridcell", { name }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    assert.strictEqual(readFileSync(join(folder, name), "utf8"), content)
    await dialog.getByRole("button", { name: "Remove them" }).click()
    await page.getByText("1 blob with 22 B removed").waitFor()
    assert.throws(() => readFileSync(join(folder, name)))
  })

  inPage("shows ten thousand files of a root, and only what is seen of them", "data/files", async (page, url, data) => {
    const folder = join(data, "blobs", tenant, "data/many")
    mkdirSync(folder, { recursive: true })
    for (let at = 0; at < 10_000; at++) writeFileSync(join(folder, `file-${at}.txt`), "")
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join("\n")
    writeFileSync(join(folder, "long.txt"), lines)
    await page.reload()
    await page.getByText(/^10,0\d\d entries/).waitFor()
    const tree = page.getByRole("treegrid", { name: "Files" })
    await tree.getByRole("row", { name: /many/ }).click()
    await tree.getByRole("link", { name: "file-0.txt" }).waitFor()
    assert.isBelow(await tree.getByRole("row").count(), 80)
    await tree.focus()
    await page.keyboard.press("End")
    await tree.getByRole("link", { name: "long.txt" }).waitFor()
    await page.getByRole("searchbox").fill("file-98")
    await page.getByText(/^111 of 10,0\d\d entries/).waitFor()
    // The start of it is requested, and more on demand.
    const asked: Array<Promise<string | undefined>> = []
    page.on("request", (request) => {
      if (/\/v1\/.*long\.txt/.test(request.url())) asked.push(request.headerValue("range").then((it) => it ?? ""))
    })
    await page.goto(`${url}/console/data/files/data/many/long.txt`)
    await page.getByText("The first 64 KiB of").waitFor()
    await page.getByRole("button", { name: "Show more" }).click()
    await page.getByText("The first 64 KiB of").waitFor({ state: "hidden" })
    // The first request determines the size.
    assert.strictEqual(await asked[1], "bytes=0-65535")
    await editor(page, /^Content of long.txt/).focus()
    await page.keyboard.press("ControlOrMeta+End")
    await page.getByText("line 19999").waitFor()
    const detail = page.getByRole("region", { name: "many/long.txt" })
    await detail.getByRole("button", { name: "Delete", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click()
    await page.getByText("many/long.txt is deleted").waitFor()
    assert.strictEqual((await fetch(`${url}/v1/${tenant}/files/many/long.txt`)).status, 404)
    await page.getByRole("combobox", { name: "Root" }).selectOption("conf")
    await page.getByText("its files are not served here").waitFor()
    assert.match(withoutTenant(page.url()), /\/console\/data\/files\/conf$/)
  })

  inPage("looks into files of each kind, as rows or as text", "data/registry", async (page, url) => {
    await register(url, "kinds/packed.csv.gz", gzipSync('a;b\r\n1;"two\r\nlines"\r\n'))
    await register(url, "kinds/rows.ndjson", '{"a":{"b":1}}\n{"c":"two"}\n')
    await register(url, "kinds/one-line.json", '{"deep":{"number":1}}')
    await register(url, "kinds/latin.txt", Buffer.from("gr\u00fcn\n", "latin1"))
    await register(url, "kinds/head.csv", "only,a,head\n")
    const open = (name: string) => page.goto(`${url}/console/data/registry/kinds/${name}`)
    await open("packed.csv.gz")
    const rows = page.getByRole("grid", { name: "Rows of packed.csv.gz" })
    await rows.getByRole("gridcell", { name: "two␊lines" }).click()
    // A selected row is shown whole.
    await page.getByRole("region", { name: "Row 1" }).getByText("two␊lines").waitFor()
    await page.getByRole("button", { name: "As text" }).press("Enter")
    await editor(page, /^Content of packed.csv.gz/)
      .getByText("a;b")
      .waitFor()
    await page.getByRole("button", { name: "As rows" }).press("Enter")
    await rows.waitFor()
    await open("rows.ndjson")
    const objects = page.getByRole("grid", { name: "Rows of rows.ndjson" })
    await objects.getByRole("columnheader", { name: "a.b" }).waitFor()
    await objects.getByRole("gridcell", { name: "two" }).waitFor()
    await page.getByText("2 rows, which is all").waitFor()
    await page.getByRole("button", { name: "As text" }).click()
    await page.getByText('{"c":"two"}').waitFor()
    await open("one-line.json")
    await page.getByText('"number": 1').waitFor()
    await page.getByRole("button", { name: "As it is" }).click()
    await page.getByText('{"deep":{"number":1}}').waitFor()
    await open("latin.txt")
    await page.getByText("This is no text.").waitFor()
    await page.getByRole("button", { name: "As rows" }).click()
    await page.getByRole("gridcell", { name: "gr\ufffdn" }).waitFor()
    await open("head.csv")
    await page.getByRole("columnheader", { name: "head" }).waitFor()
    await page.getByText("It has no rows.").waitFor()
    assert.deepStrictEqual(await violations(page), [])
  })

  inPage("shows hostile names, contents and metadata as text", "data/registry", async (page, url) => {
    await page.evaluate(() => {
      const reports: Array<string> = []
      Object.assign(globalThis, { reports })
      document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => reports.push(violatedDirective))
    })
    const image = "<img src=x onerror='globalThis.ran = 1'>"
    await register(url, `evil/${image}.csv`, `${image},b\n<script>globalThis.ran = 1</script>,"=cmd"\n`)
    await register(url, "evil/\u202etxt.exe", "turned \u202e around")
    await register(url, "evil/%2e%2e#?&.svg", "<svg xmlns='http://www.w3.org/2000/svg' onload='globalThis.ran=1'/>")
    await artifact(
      url,
      JSON.stringify({
        ...{ group: "org.evil", artifact: "evil", version: "1", type: "FILE" },
        description: image,
        displayName: `${image}\u202e`,
        readme: `<script>globalThis.ran = 1</script>\n${image}`,
        links: [{ name: image, url: "javascript:globalThis.ran=1" }],
        keywords: [image],
        properties: { [image]: "\u202e" }
      }),
      "evil.html",
      `<script>globalThis.ran = 1</script>${image}`
    )
    await page.getByRole("button", { name: "Read again" }).click()
    const tree = page.getByRole("treegrid")
    await tree.getByRole("link", { name: "⟨U+202E⟩txt.exe" }).click()
    await page.getByRole("heading", { name: "evil/⟨U+202E⟩txt.exe" }).waitFor()
    // The characters of a path segment have no other meaning.
    await tree.getByRole("link", { name: "%2e%2e#?&.svg" }).click()
    await page.getByRole("img", { name: "%2e%2e#?&.svg" }).waitFor()
    await page.reload()
    await page.getByRole("heading", { name: "evil/%2e%2e#?&.svg" }).waitFor()
    await page.goBack()
    await page.getByRole("heading", { name: "evil/⟨U+202E⟩txt.exe" }).waitFor()
    await tree.getByRole("link", { name: /^<img/ }).click()
    const cell = page.getByRole("gridcell", { name: "<script>globalThis.ran = 1</script>" })
    await cell.waitFor()
    await page.getByRole("link", { name: "Artifacts" }).click()
    await page.getByRole("grid").getByRole("link", { name: "evil" }).click()
    await page.getByRole("heading", { name: `${image}⟨U+202E⟩` }).waitFor()
    await page.getByText("javascript:globalThis.ran=1").waitFor()
    assert.strictEqual(await page.getByRole("link", { name: /javascript/ }).count(), 0)
    await editor(page, /^Content of evil.html/).waitFor()
    const state = await page.evaluate(() => {
      const { ran, reports } = globalThis
      return { ran, reports: reports ?? [] }
    })
    assert.deepStrictEqual(state, { ran: undefined, reports: [] })
  })

  inPage("has no fault that axe knows, light and dark, wide and narrow", "data", async (page, url) => {
    await register(url, "axe/one.json", '{"a": [1, "two", null]}')
    await artifact(url, "{group: org.axe, artifact: one, version: 1, type: FILE}", "one.csv", "a,b\n1,2\n")
    await faultless(page, [
      [`${url}/console/data/artifacts`, page.getByRole("grid", { name: "Artifacts" })],
      [`${url}/console/data/artifacts/org.axe/one`, page.getByRole("gridcell", { name: "2", exact: true })],
      [`${url}/console/data/registry/axe/one.json`, editor(page, /^Content of one.json/)],
      [`${url}/console/data/resources/org/axe/one/one.csv`, page.getByRole("gridcell", { name: "2", exact: true })],
      [
        `${url}/console/data/files`,
        page.getByRole("treegrid").or(page.getByRole("heading", { name: /^Nothing has been written/ }))
      ]
    ])
  })
})
