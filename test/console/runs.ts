import { Effect } from "effect"
import type { Browser, BrowserContextOptions } from "playwright-core"
import { connect, type FlowGateway, form } from "../../packages/client/src/promise.ts"
import { Console, open } from "./support.ts"

export const tenant = "mytenant"

/** Lines of orders, with some other lines among them. */
export const orders = `
name: Orders of the shop
runtime: stream
parameters:
  least: { type: integer, min: 0, default: 1, description: The smallest amount }
dag:
  - { type: file_input, component: log, settings: { path: samples/orders.log, source: true }, publish: [ { stream: lines } ] }
  - type: grok
    component: parse
    settings: { patterns: [ "%{ORDER_LINE}" ] }
    subscribe: [ { component: log, stream: lines } ]
    publish: [ { stream: orders }, { stream: errors } ]
  - type: filter
    component: large
    settings: { where: "number(amount) >= \${param:least} or true" }
    subscribe: [ { component: parse, stream: orders } ]
    publish: [ { stream: orders } ]
  - { type: archive_output, component: csv, settings: { entry: orders.csv }, subscribe: [ { component: large, stream: orders } ] }
  - { type: archive_output, component: failed, settings: { entry: failed.ndjson }, subscribe: [ { component: parse, stream: errors } ] }
  - { type: show, subscribe: [ { component: parse, stream: errors } ] }
`

/** Runs until it is cancelled. */
export const endless = `
name: Endless
runtime: stream
dag:
  - type: generator_input
    component: source
    settings: { messages: [ { n: 1 }, { n: 2 }, { n: 3 } ], rate: 300 }
    publish: [ { stream: all } ]
  - type: dispatch
    component: ways
    settings: { routes: [ { stream: ones, where: "n == 1" } ], default: others }
    subscribe: [ { component: source, stream: all } ]
    publish: [ { stream: ones }, { stream: others } ]
  - { type: show, component: screen, settings: { limit: 3 }, subscribe: [ { component: ways, stream: ones } ] }
  - { type: file_output, component: file, settings: { path: others.ndjson }, subscribe: [ { component: ways, stream: others } ] }
`

export interface Given {
  readonly url: string
  readonly api: FlowGateway
  readonly browser: Browser
  /** The gateway's data folder. */
  readonly data: string
}

/** Performs an action with the gateway of the test. */
export const withGateway = (run: (given: Given) => Promise<void>) =>
  Effect.flatMap(Console, ({ gateway, browser, site }) =>
    Effect.promise(() => run({ url: gateway.url, api: connect(gateway.url), browser, data: site.data }))
  )

export const save = async (gateway: FlowGateway, text: string): Promise<string> => {
  const { id } = await gateway.flowlines.save({
    params: { tenant },
    query: {},
    payload: form({ file: [text, "f.yaml"] })
  })
  return id
}

export const start = async (
  gateway: FlowGateway,
  id: string,
  parameters: Record<string, unknown> = {}
): Promise<string> => {
  const made = await gateway.flowlines.execute({ params: { tenant, id }, query: {}, payload: { parameters } })
  return made.id
}

/** Waits for the end of a run. */
export const ended = async (gateway: FlowGateway, flowlineId: string, executionId: string) => {
  for await (const _ of gateway.follow.output({ params: { tenant, id: executionId }, query: {} })) {
    // Only waits for the end.
  }
  return gateway.executions.detail({ params: { tenant, flowlineId, executionId } })
}

export const openRuns = (browser: Browser, url: string, path: string, options: BrowserContextOptions = {}) =>
  open(browser, `${url}/console/runs${path}`, options, (page) => page.getByRole("heading", { level: 1 }).first())
