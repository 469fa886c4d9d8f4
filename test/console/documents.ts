import type { Page } from "playwright-core"
import { form } from "../../packages/client/src/promise.ts"
import { eventually } from "../support/process.ts"
import { clientOf, tenant } from "./pages.ts"

export const markup = `<img src=x onerror="globalThis.ran = 1">`
export const index = `${tenant}-access`
export const count = 10_400
/** A number that JavaScript cannot represent. */
export const long = "12345678901234567891"

/** Two documents per minute, for the last two days. */
const last = Date.parse("2026-03-12T00:00:00Z")

export const documentAt = (at: number) => ({
  id: `doc/${String(at).padStart(5, "0")}`,
  "@timestamp": new Date(last - at * 15_000).toISOString(),
  number: at,
  ...(at === 5 ? { long: "LONG" } : {}),
  status: at % 50 === 7 ? 500 : 200,
  flag: at % 2 === 0,
  message: at % 50 === 7 ? "disk full on /var" : "request served",
  user: { name: at === 3 ? markup : `user ${at % 4}` },
  tags: ["a", `t${at % 3}`]
})

export const write = async (url: string, name: string, documents: ReadonlyArray<object>) => {
  const client = clientOf(url)
  const flowline = {
    runtime: "stream",
    dag: [
      {
        type: "generator_input",
        settings: { messages: documents, count: documents.length, rate: 1_000_000 },
        publish: [{ stream: "out" }]
      },
      {
        type: "search_output",
        settings: { index: name, id_field: "id" },
        subscribe: [{ component: "generator_input", stream: "out" }]
      }
    ]
  }
  await client.flowlines.executeOnce({
    params: { tenant },
    payload: form({ file: [JSON.stringify(flowline).replaceAll('"LONG"', long), "write.json"] })
  })
  await eventually("the documents are there", async () => {
    const indices = await client.search.indices({ params: { tenant } })
    return indices.some((one) => one.name === name && one.documents >= documents.length)
  })
}

export const query = /^Query/
export const table = (page: Page) => page.getByRole("grid", { name: "Documents that were found" })
/** Waits for the text: it must be at the start, because "10,401 documents" contains "1 document". */
export const found = (page: Page, text: string | RegExp) =>
  page
    .getByRole("status")
    .filter({ hasText: typeof text === "string" ? new RegExp(`^${text}`) : text })
    .first()
    .waitFor()
export const histogram = (page: Page) => page.getByRole("slider", { name: /^Documents over time/ })
export const panel = (page: Page) => page.getByRole("region", { name: "Document", exact: true })

/** Writes them to two indices. */
export const writeAll = async (url: string): Promise<void> => {
  await write(
    url,
    index,
    Array.from({ length: count }, (_, at) => documentAt(at))
  )
  await write(url, `${tenant}-other`, [{ id: "x", "@timestamp": "2026-03-11", only: "here" }])
}
