import { randomBytes } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { ended, type Given, openRuns, save, start, tenant, withGateway } from "./runs.ts"
import { Console, soon, violations } from "./support.ts"

/** Would run if any part of the page treated it as something else than text. */
const hostile = `<img src=x onerror="globalThis.ran = 1">`

/** Forwards 48 MiB of incompressible data and a small file, and writes two more kinds of files. */
const archived = `
name: Archives
runtime: stream
dag:
  - { type: file_input, component: noise, settings: { path: noise.log }, publish: [ { stream: lines } ] }
  - { type: archive_output, component: large, settings: { entry: large.ndjson }, subscribe: [ { component: noise, stream: lines } ] }
  - { type: generator_input, component: few, settings: { messages: [ { a: "x,y", b: '${hostile}' }, { a: 2 } ], count: 500, rate: 100000 }, publish: [ { stream: all } ] }
  - { type: archive_output, component: small, settings: { entry: "folder/small.csv" }, subscribe: [ { component: few, stream: all } ] }
  - { type: file_output, component: data, settings: { path: out/few.ndjson }, subscribe: [ { component: few, stream: all } ] }
`

const parquet = `
name: Parquet
runtime: analytics
dag:
  - { type: file_input, component: log, settings: { path: samples/orders.log }, publish: [ { stream: lines } ] }
  - { type: archive_output, component: p, settings: { entry: lines.parquet }, subscribe: [ { component: log, stream: lines } ] }
`

layer(Console.layer, { excludeTestServices: true })("archives and files of runs", (it) => {
  const inGateway = (name: string, run: (given: Given) => Promise<void>) => it.effect(name, () => withGateway(run))

  inGateway(
    "let their archives and files be looked into, without loading them",
    async ({ url, api, browser, data }) => {
      const area = join(data, "blobs", tenant, "data")
      await mkdir(area, { recursive: true })
      const noise = Array.from({ length: 48 }, () => `${randomBytes(786_432).toString("base64")}\n`)
      await writeFile(join(area, "noise.log"), noise.join(""))
      const id = await save(api, archived)
      const run = await start(api, id)
      const { state, archive } = await ended(api, id, run)
      assert.deepStrictEqual([state, archive], ["SUCCEEDED", run])
      const { page, complaints } = await openRuns(browser, url, "?view=archives")
      let sent = 0
      page.on("response", (response) => {
        if (response.url().includes("/archives/")) sent += Number(response.headers()["content-length"] ?? 0)
      })
      const row = page.getByRole("row").filter({ hasText: "Archives" }).filter({ hasText: "MiB" })
      await row.getByRole("link").first().press("Enter")
      const entries = page.getByRole("grid", { name: "Entries of the archive" })
      await entries.getByRole("row").filter({ hasText: "large.ndjson" }).filter({ hasText: "48" }).click()
      // A line is a megabyte: the first ones are shown, and more are loaded on request.
      const large = page.getByRole("region", { name: "large.ndjson" })
      await large.getByText("they are long").waitFor()
      const size = (await api.archives.list({ params: { tenant }, query: {} })).find((one) => one.id === run)!.size
      assert.isAbove(size, 30 * 1024 * 1024)
      assert.isBelow(sent, 2 * 1024 * 1024)
      await large.getByRole("button", { name: "Show more" }).press("Enter")
      await large.getByText(/^The first [2-9] rows/).waitFor()
      await page.goBack()
      await page.getByText("Choose an entry").waitFor()
      sent = 0
      await entries.getByRole("row").filter({ hasText: "small.csv" }).waitFor()
      await entries.focus()
      await page.keyboard.press("Home")
      const current = async () => (await entries.getAttribute("aria-activedescendant")) ?? ""
      await soon(async () => assert.match(await current(), /\.(csv|ndjson)$/))
      if (!(await current()).endsWith("small.csv")) await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      const rows = page.getByRole("grid", { name: "Rows of folder/small.csv" })
      await rows.getByRole("gridcell", { name: hostile }).first().waitFor()
      await rows.getByRole("gridcell", { name: "x,y" }).first().waitFor()
      await page.getByText("The first 200 rows").waitFor()
      await rows.focus()
      await page.keyboard.press("End")
      await page.getByText("500 rows, which is all").waitFor()
      assert.deepStrictEqual(await violations(page), [])
      // The directory of the zip, and the entry.
      assert.isBelow(sent, 300_000)

      await page.goto(`${url}/console/runs?view=files`)
      await page.getByRole("link", { name: "out/few.ndjson" }).click()
      await page
        .getByRole("grid", { name: "Rows of out/few.ndjson" })
        .getByRole("gridcell", { name: hostile })
        .first()
        .waitFor()
      assert.deepStrictEqual(await violations(page), [])
      await page.getByRole("button", { name: "Delete out/few.ndjson" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
      await page.getByRole("link", { name: "out/few.ndjson" }).waitFor({ state: "hidden" })

      const packed = await save(api, parquet)
      const second = await start(api, packed)
      await ended(api, packed, second)
      await page.goto(`${url}/console/runs/${packed}/${second}?view=archive&entry=lines.parquet`)
      await page.getByRole("gridcell", { name: /ORD-104233 placed by alice/ }).waitFor()
      await page.getByText("5 rows, which is all").waitFor()
      await page.goto(`${url}/console/runs?view=archives`)
      await page.getByRole("button", { name: `Delete the archive ${run}` }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
      await page.getByRole("button", { name: `Delete the archive ${run}` }).waitFor({ state: "hidden" })
      assert.strictEqual(await page.evaluate(() => globalThis.ran), undefined)
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    }
  )
})
