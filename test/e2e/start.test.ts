import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { type GatewayProcess, isAlive, postgresOf, site, temporary } from "../support/process-gateway.ts"
import { rawGet } from "../support/socket.ts"

/** What a gateway that cannot start says. */
const refusal = async (gateway: GatewayProcess) => {
  const { code } = await gateway.exit
  expect([code, gateway.stdout()]).toEqual([1, ""])
  const lines = gateway.stderr().trimEnd().split("\n")
  const line = lines.find((text) => text.startsWith("flow-gateway cannot start: ")) ?? gateway.stderr()
  expect(gateway.stderr()).not.toMatch(/\n\s+at /)
  return line.replace("flow-gateway cannot start: ", "")
}

const occupied = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ port: number; close: () => void }>((done) => {
        const server = createServer().listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          done({ port, close: () => server.close() })
        })
      })
  ),
  ({ close }) => Effect.sync(close)
)

describe("the gateway", () => {
  it.live("says one line when it is ready, and is the only one on its data folder", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      yield* Effect.promise(async () => {
        const first = await here.start()
        expect(first.stdout()).toBe(`flow-gateway ready http://127.0.0.1:${first.port}\n`)
        const second = here.spawn()
        const message = await refusal(second)
        expect(message).toContain(`in use by another gateway (process ${first.pid},`)
        expect((await rawGet(first.port, "/health/ready")).status).toBe(200)
        expect((await rawGet(first.port, "/v1/mytenant/flowline")).status).toBe(200)
        expect(first.stdout().split("\n")).toHaveLength(2)
      })
    })
  )

  it.live("refuses what it cannot work with, in one line that names it, and leaves nothing running", () =>
    Effect.gen(function* () {
      const here = yield* site()
      const { port } = yield* occupied
      const folder = yield* temporary
      writeFileSync(join(folder, "file"), "")
      const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, RegExp]> = [
        [{ FLOW_PORT: "abc" }, /FLOW_PORT/],
        [{ FLOW_PORT: "70000" }, /FLOW_PORT/],
        [{ FLOW_PORT: String(port) }, /EADDRINUSE.*127\.0\.0\.1:\d+/],
        [{ FLOW_HOST: "0.0.0.0" }, /FLOW_HOST.*loopback/],
        [{ FLOW_HOST: "127.0.0.1.evil.example" }, /FLOW_HOST/],
        [{ FLOW_AUTH: "/etc/auth.yaml" }, /FLOW_AUTH/],
        [{ FLOW_LOG: "loud" }, /FLOW_LOG/],
        [{ FLOW_TENANT: "../x" }, /FLOW_TENANT/],
        [{ FLOW_BLOBS: "s3://bucket/prefix?region=eu-west-1" }, /FLOW_BLOBS.*AWS_ACCESS_KEY_ID/],
        [{ FLOW_BLOBS: "s3://key:secret-word@bucket/prefix?port=1" }, /FLOW_BLOBS.*endpoint/],
        [{ FLOW_BLOBS: "file://elsewhere/blobs" }, /FLOW_BLOBS/],
        [{ FLOW_OTLP: "not an address" }, /FLOW_OTLP/],
        [{ FLOW_CONF: join(folder, "nowhere") }, /FLOW_CONF.*nowhere/],
        [{ FLOW_DATABASE_URL: "mysql://a/b" }, /FLOW_DATABASE_URL.*postgres:\/\//],
        [{ FLOW_DATABASE_URL: "postgres://flow:secret-word@host:port/x" }, /FLOW_DATABASE_URL/],
        [{ FLOW_DATA: join(folder, "file", "below") }, /FLOW_DATA.*file\/below/]
      ]
      yield* Effect.promise(async () => {
        // Three at a time: each is a process that takes a second to load.
        for (let at = 0; at < cases.length; at += 3) {
          const slice = cases.slice(at, at + 3)
          const said = await Promise.all(slice.map(([variables]) => refusal(here.spawn(variables))))
          slice.forEach(([, wanted], index) => {
            expect(said[index]).toMatch(wanted)
            expect(said[index]).not.toContain("secret-word")
          })
        }
      })
    })
  )

  it.live("that cannot listen stops the PostgreSQL that it had started", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      const { port } = yield* occupied
      yield* Effect.promise(async () => {
        const gateway = here.spawn({ FLOW_PORT: String(port) })
        await eventually("PostgreSQL runs", () => postgresOf(here.data).length > 0, 20_000)
        const servers = postgresOf(here.data)
        expect(await refusal(gateway)).toContain("EADDRINUSE")
        await eventually("PostgreSQL has ended", () => !servers.some(isAlive), 5000)
      })
    })
  )
})
