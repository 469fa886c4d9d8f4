import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"

export const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

export interface JobView {
  readonly name: string
  readonly status: string
  readonly node: string | null
  readonly jobId: string | null
  readonly restarts: number
  readonly lastError: string | null
}
export interface ChannelView {
  readonly status: string
  readonly jobs: ReadonlyArray<JobView>
}

/** A job that sends a record every 100 ms, for ever. */
export const ticking = (url: string): string => `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [tick], rate: 10 }, publish: [ { stream: out } ] }
  - { type: http_output, settings: { url: "${url}", batch_records: 1, retry_seconds: 1 }, subscribe: [ { component: generator_input, stream: out } ] }
`

/** Gateways on one database, one configuration and one place for blobs. */
export const members = Effect.gen(function* () {
  const conf = yield* configuration
  const here = yield* site()
  const addChannel = (name: string, jobs: Readonly<Record<string, string>>, restart = "") => {
    const folder = join(conf.folderOf("mytenant"), "channels", name)
    mkdirSync(folder, { recursive: true })
    const lines = Object.keys(jobs).map((job) => `  - { name: ${job}, runtime: stream${restart} }\n`)
    writeFileSync(join(folder, "channel_structure.yaml"), `applications:\n${lines.join("")}`)
    for (const [job, text] of Object.entries(jobs)) writeFileSync(join(folder, `${job}.yaml`), text)
  }
  let count = 0
  const start = async (variables: Readonly<Record<string, string>> = {}): Promise<Running> => {
    const port = await freePort()
    return here.start({
      FLOW_CONF: conf.root,
      FLOW_DATA: join(here.data, `member${++count}`),
      FLOW_BLOBS: `file://${join(here.data, "blobs")}`,
      FLOW_CLUSTER: `127.0.0.1:${port}`,
      FLOW_OUTBOUND_ALLOW: "127.0.0.1",
      ...variables
    })
  }
  return { conf, here, addChannel, start }
})

/** Whether the gateway has not left yet. */
export const isThere = ({ process }: Running): boolean => process.exitCode === null && process.signalCode === null

/** The process of `<host>:<pid>`. */
export const pidOf = (node: string | null): number => Number(node?.split(":").at(-1))

export const channelOf = (url: string, channel: string) => tenantOf(url).get<ChannelView>(`channels/${channel}`)

export const act = async (url: string, channel: string, action: string): Promise<number> =>
  (await fetch(`${url}/v1/mytenant/channels/${channel}/${action}`, { method: "POST" })).status

export const until = async (url: string, channel: string, status: string, millis?: number): Promise<ChannelView> => {
  let view: ChannelView | undefined
  const reached = async () => {
    view = await channelOf(url, channel).catch(() => undefined)
    return view?.status === status
  }
  await eventually(`${channel} is ${status}`, reached, millis).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(view)}`)
  })
  return view!
}

/** How many shards each gateway has. */
export const shardsHeld = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ held: number }>`select count(*)::integer as held from cluster_shards group by gateway`, (rows) =>
    rows.map(({ held }) => held)
  )

/** Whether so many gateways share all shards. */
export const all = (gateways: number) => (held: ReadonlyArray<number>) =>
  held.length === gateways && held.reduce((sum, count) => sum + count) === 64
