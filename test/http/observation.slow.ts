import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { eventually } from "../support/process.ts"
import { type Running, type Site, site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { exchange, openSocket, rawGet, rawRequest } from "../support/socket.ts"

class Gateway extends Context.Service<Gateway, { readonly gateway: Running; readonly here: Site }>()(
  "test/http/Gateway"
) {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const here = yield* site()
      const gateway = yield* Effect.promise(() => here.start({ FLOW_LOG: "debug" }))
      return { gateway, here }
    })
  )
}

interface Line {
  readonly method?: string
  readonly path?: string
  readonly status?: number
  readonly ms?: number
  readonly traceId?: string
  readonly aborted?: boolean
}

/** Every line of the log, each of which must be JSON without control characters. */
const linesOf = (stderr: string): ReadonlyArray<Line> => {
  expect(stderr.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f]/)
  return stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

const metricsOf = (port: number) => rawGet(port, "/metrics").then(({ body }) => body.toString())

layer(Gateway.layer, { excludeTestServices: true })("the gateway", (it) => {
  it.effect("logs each request in one line of JSON, without its query and whatever it holds", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Gateway
      yield* Effect.promise(async () => {
        const { port, stderr, stdout } = gateway
        const exchanges = () => linesOf(stderr()).filter((line) => "ms" in line)
        const before = exchanges().length
        const forged = "%0a%7B%22level%22:%22forged%22%7D"
        const paths = [
          "/v1/platform/tenant?password=in-the-query",
          `/v1/mytenant/flowline/${forged}`,
          `/v1/${forged}/conf`,
          "/v1/mytenant/conf/%1b%5b31m",
          '/v1/"quoted"',
          "/v1/mytenant/flowline/executions?limit=secret-limit"
        ]
        for (const path of paths) await rawGet(port, path, { "X-Forwarded-For": '1.2.3.4"}\t', Referer: "a" })
        await rawRequest(port, "HEAD", "/health/live")
        const closing = "HTTP/1.1\r\nHost: a\r\nConnection: close"
        await exchange(port, `GET /v1/platform/properties ${closing}\r\nExpect: 100-continue\r\n\r\n`)
        await exchange(port, `GET /problems/not-found ${closing}, Upgrade\r\nUpgrade: h2c\r\n\r\n`)
        const absolute = `http://name:in-the-address@127.0.0.1:${port}/v1/mytenant/resources/types`
        await exchange(port, `GET ${absolute} ${closing}\r\n\r\n`)
        const traced = await rawGet(port, "/nope", {
          traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        })
        expect(JSON.parse(traced.body.toString()).traceId).toBe("0af7651916cd43dd8448eb211c80319c")
        const badTrace = await rawGet(port, "/nope", { traceparent: "00-../../x-1-01" })
        expect(JSON.parse(badTrace.body.toString()).traceId).toMatch(/^[0-9a-f]{32}$/)
        const download = await openSocket(port)
        download.write("GET /v1/mytenant/conf/samples/access.log.gz HTTP/1.1\r\nHost: a\r\n\r\n")
        // A reset that arrives with the request would discard it before it is read.
        await eventually("the download has begun", () => download.received().length > 0)
        download.socket.resetAndDestroy()
        await exchange(port, "\x1b[31mBREW / HTTP/1.1\r\n\r\n")
        await eventually("all is logged", () => exchanges().length >= before + 14).catch((error) => {
          throw new Error(`${error.message}: ${JSON.stringify(exchanges().slice(before))}`)
        })
        const lines = exchanges().slice(before)
        expect(stderr()).not.toMatch(/in-the-query|secret-limit|in-the-address/)
        expect(lines.filter((line) => line.path === paths[1])).toMatchObject([
          { method: "GET", status: 404, traceId: expect.stringMatching(/^[0-9a-f]{32}$/), ms: expect.any(Number) }
        ])
        expect(lines.find((line) => line.path === "/v1/platform/tenant")).toMatchObject({ status: 400 })
        for (const path of ["/v1/platform/properties", "/problems/not-found"]) {
          expect(lines.filter((line) => line.path === path)).toMatchObject([{ method: "GET", status: 200 }])
        }
        expect(lines.find((line) => line.path === "/v1/mytenant/resources/types")).toMatchObject({
          tenant: "mytenant",
          status: 200
        })
        const counted = /_count\{method="GET",route="\/v1\/\{tenant\}\/resources\/types",status="200"\} 1/
        expect(await metricsOf(port)).toMatch(counted)
        expect(lines.find((line) => line.path === "/nope")).toMatchObject({
          traceId: "0af7651916cd43dd8448eb211c80319c"
        })
        expect(lines.find((line) => line.method === "HEAD")).toMatchObject({ path: "/health/live", status: 200 })
        expect(stdout().split("\n")).toHaveLength(2)
      })
    })
  )

  it.effect("counts requests by route, never by what clients choose", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Gateway
      yield* Effect.promise(async () => {
        const { port, url } = gateway
        const { id } = await tenantOf(url).save(generator(1, 1000))
        expect((await tenantOf(url).ended(await tenantOf(url).execute(id))).state).toBe("SUCCEEDED")
        for (let round = 0; round < 2; round++) await metricsOf(port)
        const base = (await metricsOf(port)).split("\n").length
        for (let n = 0; n < 30; n++) {
          await rawGet(port, `/v1/tenant${n}/conf/a${n}/b${n}`)
          await rawGet(port, `/random/${n}/${"x".repeat(n)}`)
          await rawGet(port, `/v1/mytenant/flowline/id${n}`)
          await rawRequest(port, ["PROPFIND", "LOCK", "REPORT", "MKCOL"][n % 4]!, "/v1/platform/tenant")
        }
        const text = await metricsOf(port)
        expect(text.split("\n").length - base).toBeLessThan(60)
        expect(text).not.toMatch(/tenant\d|random|id\d|xxx|PROPFIND/)
        expect(text).toMatch(/flow_http_request_duration_seconds_count\{[^}]*route="\/v1\/\{tenant\}\/conf\/\{path\}"/)
        expect(text).toMatch(/_count\{method="other",route="\/v1\/platform\/tenant",status="405"\} 30/)
        expect(text).toMatch(/_count\{method="POST",route="\/v1\/\{tenant\}\/flowline\/\{id\}",status="200"\} 1/)
      })
    })
  )

  it.effect("tells whether it lives and what it lacks, uncached", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Gateway
      yield* Effect.promise(async () => {
        const live = await rawGet(gateway.port, "/health/live")
        expect([live.status, live.body.toString(), live.headers.get("cache-control")]).toEqual([
          ...[200, '{"status":"live"}', "no-store"]
        ])
        const ready = await rawGet(gateway.port, "/health/ready")
        expect([ready.status, JSON.parse(ready.body.toString())]).toMatchObject([
          200,
          { status: "ready", dependencies: { metadata: "up", data: "up", configuration: "up", connections: "up" } }
        ])
      })
    })
  )

  it.effect("shows its interface to whoever browses it, again and again", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Gateway
      yield* Effect.promise(async () => {
        const pages = await Promise.all([1, 2, 3].map(() => rawGet(gateway.port, "/docs")))
        for (const page of pages) {
          expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html"])
          expect(page.body.includes("/v1/{tenant}/flowline/save")).toBe(true)
          expect(page.body.equals(pages[0]!.body)).toBe(true)
        }
      })
    })
  )

  it.effect("logs as much as it is told to, and goes on when nobody reads what it logs", () =>
    Effect.gen(function* () {
      const { gateway, here } = yield* Gateway
      yield* Effect.promise(async () => {
        const warning = await here.start({ FLOW_LOG: "warn" })
        expect((await rawGet(warning.port, "/nope")).status).toBe(404)
        await warning.kill("SIGTERM")
        expect(warning.stderr()).toBe("")
        // It logs all, as the tests before have seen.
        gateway.process.stderr?.destroy()
        gateway.process.stdout?.destroy()
        for (let n = 0; n < 5; n++) {
          expect((await rawGet(gateway.port, "/nope")).status).toBe(404)
          await new Promise((done) => setTimeout(done, 60))
        }
      })
    })
  )
})
