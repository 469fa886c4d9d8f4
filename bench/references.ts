import { createWriteStream } from "node:fs"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import Fastify from "fastify"
import pg from "pg"

// The servers with which the gateway is compared. `http.ts` starts each as a separate process:
// node references.ts raw | effect | fastify | fastify-pg | node-pg <database> <log file>

const [kind, database, log] = process.argv.slice(2)
const small = { tenant: "mytenant" }
const listening = (port: number) => process.send?.({ port })

const oneRow = `
  select v.id, v.version, v.dag, v.platform_id, v.saved_at
  from flowlines f join flowline_versions v on v.tenant = f.tenant and v.id = f.id and v.version = f.version
  where f.tenant = $1 and f.id = $2 and f.saved`
const list = `
  select id, job_id, event_at, started_at, ended_at, tenant, event
  from executions where tenant = $1 and ordinal > 0 order by ordinal limit 200`

/** The list of flowlines, with JSON made by PostgreSQL, which takes less time in total than making it here. */
const flowlines = `
  select f.ordinal, '{"id":' || to_json(f.id) || ',"flowline":' || v.dag || ',"version":' || v.version ||
    ',"platformId":' || to_json(v.platform_id) || ',"@timestamp":"' ||
    to_char(v.saved_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}' as json
  from flowlines f join flowline_versions v on v.tenant = f.tenant and v.id = f.id and v.version = f.version
  where f.tenant = $1 and f.saved and f.ordinal > $2 order by f.ordinal limit $3`

const text = { type: "string" }
const row = {
  type: "object",
  properties: { id: text, jobId: text, timestamp: text, duration: { type: "integer" }, tenant: text, event: text }
}

const announced = (server: ReturnType<typeof createServer>) =>
  server.on("listening", () => {
    const address = server.address()
    listening(typeof address === "object" && address !== null ? address.port : 0)
  })

/** An endpoint declared like the gateway's, and nothing around it. */
const declared = () => {
  const success = Schema.Struct({ tenant: Schema.String })
  const group = HttpApiGroup.make("platform").add(HttpApiEndpoint.get("tenant", "/v1/platform/tenant", { success }))
  const api = HttpApi.make("reference").add(group)
  const handlers = HttpApiBuilder.group(api, "platform", (of) => of.handle("tenant", () => Effect.succeed(small)))
  const routes = Layer.provide(HttpApiBuilder.layer(api), handlers)
  const server = NodeHttpServer.layer(() => announced(createServer()), { port: 0, host: "127.0.0.1" })
  return HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(Layer.provide(server))
}

const bare = (listener: RequestListener) => {
  const server = announced(createServer(listener))
  server.listen(0, "127.0.0.1")
}

const send = (response: ServerResponse, body: string, more = {}) => {
  const length = Buffer.byteLength(body)
  response.writeHead(200, { "content-type": "application/json", "content-length": length, ...more }).end(body)
}

if (kind === "raw") bare((_, response) => send(response, JSON.stringify(small)))
else if (kind === "effect") Effect.runFork(Layer.launch(declared()))
else if (kind === "node-pg") {
  const pool = new pg.Pool({ connectionString: database, max: 10 })
  bare(async ({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost")
    const tenant = pathname.split("/")[2]
    const limit = Number(searchParams.get("limit") ?? 100_000)
    const values = [tenant, searchParams.get("cursor") ?? 0, limit + 1]
    const { rows } = await pool.query({ name: "flowlines", text: flowlines, values })
    const page = rows.slice(0, limit)
    const next = `<${pathname}?limit=${limit}&cursor=${page.at(-1)?.ordinal}>; rel="next"`
    send(response, `[${page.map(({ json }) => json).join(",")}]`, rows.length > limit ? { link: next } : {})
  })
} else {
  const app = Fastify({ logger: { stream: createWriteStream(log ?? "/dev/null") } })
  app.get(
    "/v1/platform/tenant",
    { schema: { response: { 200: { type: "object", properties: { tenant: text } } } } },
    () => small
  )
  if (kind === "fastify-pg") {
    const pool = new pg.Pool({ connectionString: database, max: 10 })
    app.get<{ Params: { tenant: string; id: string } }>(
      "/v1/:tenant/flowline/:id",
      async ({ params: { tenant, id } }) => {
        const { rows } = await pool.query({ name: "one", text: oneRow, values: [tenant, id] })
        const { dag, platform_id, saved_at } = rows[0]
        const source = { "@timestamp": saved_at.toISOString(), platform_id, dag, tenant }
        return { index: `${tenant}-flowlines`, id, source }
      }
    )
    app.get<{ Params: { tenant: string } }>(
      "/v1/:tenant/flowline/executions",
      { schema: { response: { 200: { type: "array", items: row } } } },
      async ({ params: { tenant } }) => {
        const { rows } = await pool.query({ name: "list", text: list, values: [tenant] })
        return rows.map((r) => ({
          id: r.id,
          jobId: r.job_id,
          timestamp: r.event_at.toISOString(),
          duration: r.ended_at - r.started_at,
          tenant: r.tenant,
          event: r.event
        }))
      }
    )
  }
  await app.listen({ port: 0, host: "127.0.0.1" })
  listening(Number(new URL(app.listeningOrigin).port))
}
