import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import { connect, type FlowGateway, form } from "../../packages/client/src/promise.ts"
import { Console, open, soon, violations } from "./support.ts"

const tenant = "mytenant"

const million = 1_000_000

/** Prints numbered lines until it reaches the count. */
const printing = (count: number, rate: number) => `
runtime: stream
dag:
  - { type: generator_input, component: source, settings: { messages: [ "one", "<b onclick=1>two</b>", "three" ], count: ${count}, rate: ${rate} }, publish: [ { stream: all } ] }
  - { type: show, component: "screen", settings: { limit: ${million} }, subscribe: [ { component: source, stream: all } ] }
`

const begin = async (gateway: FlowGateway, text: string) => {
  const { id } = await gateway.flowlines.save({
    params: { tenant },
    query: {},
    payload: form({ file: [text, "f.yaml"] })
  })
  const run = await gateway.flowlines.execute({ params: { tenant, id }, query: {}, payload: {} })
  return { id, run: run.id, path: `/${id}/${run.id}?view=output` }
}

const openOutput = (browser: Browser, url: string, path: string) =>
  open(browser, `${url}/console/runs${path}`, {}, (page) => page.getByRole("grid", { name: "Lines of the output" }))

/** The numbers and texts of the rendered lines. */
const drawn = (page: Page) =>
  page
    .getByRole("grid", { name: "Lines of the output" })
    .getByRole("row")
    .evaluateAll((rows) =>
      rows.map((row) => ({
        seq: Number(row.firstElementChild?.textContent),
        text: row.lastElementChild?.textContent ?? ""
      }))
    )

const countOf = async (page: Page): Promise<number> => {
  const text = await page
    .getByRole("status")
    .filter({ hasText: /^[\d,]+ lines?(,| so)/ })
    .innerText()
  return Number(/^[\d,]+/.exec(text)![0].replaceAll(",", ""))
}

layer(Console.layerWith({ FLOW_OUTPUT_LINES: String(2 * million) }), { excludeTestServices: true })(
  "the output of a run",
  (it) => {
    it.effect("is followed, paused, searched, and linked to a line, by keys too", () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        yield* Effect.promise(async () => {
          const api = connect(gateway.url)
          const { id, run, path } = await begin(api, printing(million, 200))
          const { page, complaints } = await openOutput(browser, gateway.url, path)
          const grid = page.getByRole("grid", { name: "Lines of the output" })
          await page.waitForFunction(
            () =>
              Number(document.querySelector("[role=grid] [role=row]:last-child")?.firstElementChild?.textContent) > 300
          )
          // The view stays at the end while the run is followed.
          const last = async () => (await drawn(page)).at(-1)!.seq
          const before = await last()
          await page.waitForFunction(
            (seq) =>
              Number(document.querySelector("[role=grid] [role=row]:last-child")?.firstElementChild?.textContent) > seq,
            before
          )
          await grid.focus()
          await page.keyboard.press("Home")
          await page.getByRole("button", { name: "Follow", exact: true }).waitFor()
          await page.getByRole("region", { name: "Line 1", exact: true }).waitFor()
          await page.waitForURL(/line=1\b/)
          const count = await countOf(page)
          await page.waitForFunction(
            (least) =>
              Number(
                /^[\d,]+/
                  .exec(
                    [...document.querySelectorAll("[role=status]")]
                      .map((e) => e.textContent)
                      .find((t) => / so far/.test(t ?? "")) ?? "0"
                  )?.[0]
                  ?.replaceAll(",", "")
              ) > least,
            count
          )
          // New lines do not move the lines that are being read.
          assert.strictEqual((await drawn(page))[0]!.seq, 1)
          await page.getByRole("searchbox").fill("ONCLICK")
          await page.keyboard.press("Enter")
          await page.getByRole("region", { name: "Line 2", exact: true }).getByText("<b onclick=1>two</b>").waitFor()
          await page.getByRole("button", { name: "Next" }).click()
          await page.getByRole("region", { name: "Line 5", exact: true }).waitFor()
          await page.getByLabel("Only these").check()
          await soon(async () => {
            const rows = await drawn(page)
            assert.deepStrictEqual(
              rows.slice(0, 3).map(({ seq }) => seq),
              [2, 5, 8]
            )
            assert.isTrue(rows.every(({ text }) => text.includes("onclick")))
          })
          assert.deepStrictEqual(await violations(page), [])
          // Another tab shows the same line, and can follow independently.
          const other = await page.context().newPage()
          await other.goto(page.url())
          await other.getByRole("region", { name: "Line 5", exact: true }).waitFor()
          await other.getByRole("button", { name: "To the end" }).click()
          await other.getByRole("button", { name: "Following" }).waitFor()
          await page.getByRole("button", { name: "Follow", exact: true }).waitFor()
          await api.executions.cancel({ params: { tenant, flowlineId: id, executionId: run } })
          for (const tab of [page, other]) await tab.getByText("which is all").waitFor()
          assert.strictEqual(await countOf(page), await countOf(other))
          assert.deepStrictEqual(complaints, [])
          await page.context().close()
        })
      })
    )

    it.effect("has every line once when its gateway was killed and started again", () =>
      Effect.gen(function* () {
        const { site, browser } = yield* Console
        yield* Effect.promise(async () => {
          const gateway = await site.start()
          const { id, run, path } = await begin(connect(gateway.url), printing(million, 100))
          const { page } = await openOutput(browser, gateway.url, path)
          await page.waitForFunction(
            () =>
              Number(document.querySelector("[role=grid] [role=row]:last-child")?.firstElementChild?.textContent) > 100
          )
          await gateway.kill("SIGKILL")
          await page.getByText("The gateway does not answer").first().waitFor()
          const before = await countOf(page)
          const after: Array<number> = []
          page.on("request", (request) => {
            // A stream without an event yet resumes at its start.
            const url = new URL(request.url())
            if (!url.pathname.endsWith("/output")) return
            after.push(Number(request.headers()["last-event-id"] ?? url.searchParams.get("from")))
          })
          const again = await site.start({ FLOW_PORT: String(gateway.port) })
          await page.getByText("The gateway does not answer").first().waitFor({ state: "hidden" })
          await page.waitForFunction(
            (least) =>
              Number(
                /^[\d,]+/
                  .exec(
                    [...document.querySelectorAll("[role=status]")]
                      .map((e) => e.textContent)
                      .find((t) => / so far/.test(t ?? "")) ?? "0"
                  )?.[0]
                  ?.replaceAll(",", "")
              ) >
              least + 100,
            before
          )
          const api = connect(again.url)
          await api.executions.cancel({ params: { tenant, flowlineId: id, executionId: run } })
          await page.getByText("which is all").waitFor()
          // Lines that are present are not requested again.
          assert.isNotEmpty(after)
          assert.isAtLeast(Math.min(...after), before)
          const { lines } = await api.executions.output({ params: { tenant, id: run }, query: {} })
          assert.strictEqual(await countOf(page), lines.length)
          // All of them from start to end, as the gateway has them.
          await page.getByRole("button", { name: "To the beginning" }).click()
          const seen = new Map<number, string>()
          const grid = page.getByRole("grid", { name: "Lines of the output" })
          await grid.focus()
          for (let at = 0; at < lines.length; at += 10) {
            for (const { seq, text } of await drawn(page)) seen.set(seq, text)
            if (seen.size === lines.length) break
            await page.keyboard.press("PageDown")
            // Rendered, however slow the machine is.
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
          }
          assert.deepStrictEqual(
            [...seen].sort(([one], [other]) => one - other),
            lines.map(({ seq, text }) => [seq, text])
          )
          await page.context().close()
          await again.kill("SIGTERM")
        })
      })
    )

    it.effect(
      "of a million lines is all there, in little memory",
      () =>
        Effect.gen(function* () {
          const { gateway, browser } = yield* Console
          yield* Effect.promise(async () => {
            const api = connect(gateway.url)
            const { id, run, path } = await begin(api, printing(million, 10_000_000))
            const { page, complaints } = await openOutput(browser, gateway.url, path)
            await page.getByText("1,000,000 lines, which is all").waitFor({ timeout: 600_000 })
            assert.deepStrictEqual((await drawn(page)).at(-1), { seq: million, text: '{"message":"one"}' })
            await page.getByRole("button", { name: "To the beginning" }).click()
            await page.waitForFunction(
              () => document.querySelector("[role=grid] [role=row]")?.firstElementChild?.textContent === "1"
            )
            // Jumps anywhere: to the middle, by the scroll bar.
            await page.getByRole("grid").evaluate((grid) => {
              grid.scrollTop = grid.scrollHeight / 2
            })
            await page.waitForFunction(
              () =>
                Math.abs(
                  Number(document.querySelector("[role=grid] [role=row]")?.firstElementChild?.textContent) - 500_000
                ) < 100
            )
            await page.getByRole("searchbox").fill("three")
            await page.getByText("333,333 lines", { exact: true }).waitFor()
            await page.keyboard.press("Enter")
            await page.getByRole("region", { name: "Line 3", exact: true }).waitFor()
            assert.isBelow(await page.getByRole("row").count(), 120)
            const session = await page.context().newCDPSession(page)
            await session.send("HeapProfiler.collectGarbage")
            const { usedSize, backingStorageSize = 0 } = (await session.send("Runtime.getHeapUsage")) as {
              readonly usedSize: number
              readonly backingStorageSize?: number
            }
            // Its texts take 20 MB.
            assert.isBelow(usedSize + backingStorageSize, 150_000_000)
            assert.strictEqual(
              (await api.executions.detail({ params: { tenant, flowlineId: id, executionId: run } })).state,
              "SUCCEEDED"
            )
            assert.deepStrictEqual(complaints, [])
            await page.context().close()
          })
        }),
      { timeout: 900_000 }
    )
  }
)
