import type { Page } from "playwright-core"
import { fill } from "./support.ts"

export const markup = `<img src=x onerror="globalThis.ran = 1">`

export const ticks = (message = "tick") => `runtime: stream
dag:
  - type: generator_input
    settings: { messages: [${JSON.stringify(message)}], rate: 20 }
    publish: [ { stream: out } ]
  - type: show
    settings: { limit: 100000 }
    subscribe: [ { component: generator_input, stream: out } ]
`

export const structure = (...jobs: ReadonlyArray<string>) =>
  `applications:\n${jobs.map((job) => `  - ${job}\n`).join("")}`

const failing = `runtime: stream
dag:
  - { type: file_input, settings: { path: "nowhere/${markup.replaceAll('"', "'")}.log" }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: file_input, stream: out } ] }
`

const following = `runtime: stream
dag:
  - { type: file_input, settings: { path: logs/app.log, follow: true }, publish: [ { stream: lines } ] }
  - { type: show, subscribe: [ { component: file_input, stream: lines } ] }
`

/** Channels that exist from the start. */
export const files = {
  "logs/app.log": "one\ntwo\n",
  "channels/shop/channel_structure.yaml": structure(
    "{ name: ticks, runtime: stream }",
    "{ name: fails, runtime: stream, restart: { initial: 300s, max: 600s, perHour: 20 } }",
    "{ name: follows, runtime: stream }"
  ),
  "channels/shop/ticks.yaml": ticks(markup),
  "channels/shop/fails.yaml": failing,
  "channels/shop/follows.yaml": following,
  "channels/broken/channel_structure.yaml": structure(`{ name: x, runtime: ${JSON.stringify(markup)} }`)
}

export const state = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name })
export const main = (page: Page) => page.getByRole("main")

/** A structure and a flowline in the page's form, in the editor of a file. */
export const inEditor = async (page: Page, name: string, text: string) => {
  await page.getByRole("navigation", { name: "Files" }).getByRole("button", { name }).click()
  await fill(page, new RegExp(`^${name.replaceAll(".", "\\.")}`), text)
}
