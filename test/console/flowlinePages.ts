import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { editor, open, type Seen } from "./support.ts"

export const tenant = "mytenant"

/** A valid flowline: a name, lines, a pattern, and its two streams. */
export const flowline = (name: string, least = 400): string => `version: "1.0"
type: flowline
name: ${name}
runtime: stream
dag:
  # The lines.
  - type: generator_input
    component: lines
    settings: { count: 3, messages: [ "10.0.0.1 GET 200", "10.0.0.2 GET 404", "rubbish" ] }
    publish: [ { stream: lines } ]
  - type: grok
    component: parse
    settings:
      patterns: [ "%{IP:client} %{WORD:verb} %{INT:status:int}" ] # the only one
    subscribe: [ { component: lines, stream: lines } ]
    publish: [ { stream: parsed }, { stream: errors } ]
  - type: filter
    component: failed
    settings: { where: status >= ${least} }
    subscribe: [ { component: parse, stream: parsed } ]
    publish: [ { stream: failed } ]
  - type: show
    subscribe: [ { component: failed, stream: failed }, { component: parse, stream: errors } ]
`

/** Saves a flowline, or the next version of one, and returns its id. */
export const saved = async (url: string, text: string, id?: string, name = "flowline.yaml"): Promise<string> => {
  const body = new FormData()
  body.set("file", new Blob([text]), name)
  const query = id === undefined ? "" : `?id=${id}`
  const response = await fetch(`${url}/v1/${tenant}/flowline/save${query}`, { method: "POST", body })
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as { id: string }).id
}

export const execute = async (url: string, id: string): Promise<string> => {
  const response = await fetch(`${url}/v1/${tenant}/flowline/${id}`, { method: "POST" })
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as { id: string }).id
}

/** The text of the newest version. */
export const textOf = async (
  url: string,
  id: string
): Promise<{ readonly version: number; readonly text: string; readonly filename: string | null }> => {
  const [newest] = await (await fetch(`${url}/v1/${tenant}/flowline/${id}/versions?limit=1`)).json()
  return await (await fetch(`${url}/v1/${tenant}/flowline/${id}/versions/${newest.version}`)).json()
}

/** Elements that every flowline page has as soon as it is present. */
export const title = (page: Page) => page.getByRole("main").getByRole("heading", { level: 1 })

/** Opens a page of flowlines. */
export const openFlowlines = (
  browser: Browser,
  url: string,
  path: string,
  options: BrowserContextOptions = {}
): Promise<Seen> => open(browser, `${url}/console/flowlines${path}`, options, title)

export const text = (page: Page) => editor(page, /^Flowline\./)

/** The gateway's verdict on the text. */
export const problems = (page: Page) => page.getByRole("region", { name: "Problems" })

/** A node in the picture of the DAG. */
export const boxOf = (page: Page, name: string) => page.locator(`[data-node="${name}"]`)

/** Moves the editor's cursor behind the first occurrence of this text. */
export const cursorBehind = async (page: Page, part: string): Promise<void> => {
  const line = text(page).locator(".cm-line").filter({ hasText: part }).first()
  await line.click()
  await page.keyboard.press("End")
}
