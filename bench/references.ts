import { createWriteStream } from "node:fs"
import { createServer } from "node:http"
import Fastify from "fastify"
import pg from "pg"

// The servers that the gateway is held against, each started as a process of its own by `http.ts`:
// node references.ts raw | fastify | fastify-pg <database> <log file>

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

const text = { type: "string" }
const row = {
  type: "object",
  properties: { id: text, jobId: text, timestamp: text, duration: { type: "integer" }, tenant: text, event: text }
}

if (kind === "raw") {
  const server = createServer((_, response) => {
    const body = JSON.stringify(small)
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body)
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    listening(typeof address === "object" && address !== null ? address.port : 0)
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
