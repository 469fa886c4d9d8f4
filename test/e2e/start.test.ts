import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { putCluster } from "../support/postgresServer.ts"
import { eventually } from "../support/process.ts"
import { type GatewayProcess, isAlive, postgresOf, site } from "../support/process-gateway.ts"
import { rawGet } from "../support/socket.ts"

/** The output of a gateway that cannot start. */
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
  it.live("does not start for those who ask its program for help", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      const folder = join(here.data, "asked")
      const program = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
      const { status, stderr } = spawnSync(process.execPath, [program, "--help"], {
        env: { PATH: process.env["PATH"], FLOW_DATA: folder },
        encoding: "utf8"
      })
      expect([status, stderr]).toEqual([2, expect.stringMatching(/^flow-gateway: this program takes no arguments; /)])
      expect(existsSync(folder)).toBe(false)
    })
  )

  it.live("says one line when it is ready, and is the only one on its data folder", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      yield* putCluster(here.data)
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

  // What is refused, and why, is in settings.test.ts.
  it.live("that refuses its settings says so in one line, and ends with code 1", () =>
    Effect.gen(function* () {
      const here = yield* site()
      yield* Effect.promise(async () => {
        const cases = [{ FLOW_DATE: "/data" }, { FLOW_DATA: "/dev/null" }]
        const [unknown, unusable] = await Promise.all(cases.map((variables) => refusal(here.spawn(variables))))
        expect(unknown).toBe('FLOW_DATE: unknown setting; did you mean "FLOW_DATA"?')
        expect(unusable).toBe("FLOW_DATA: /dev/null is not a folder: choose another one")
      })
    })
  )

  it.live("that cannot listen stops the PostgreSQL that it had started", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      yield* putCluster(here.data)
      const { port } = yield* occupied
      yield* Effect.promise(async () => {
        const gateway = here.spawn({ FLOW_PORT: String(port) })
        await eventually("PostgreSQL runs", () => postgresOf(here.data).length > 0)
        const servers = postgresOf(here.data)
        expect(await refusal(gateway)).toMatch(
          /^FLOW_PORT: another program uses this port, choose another one: .*127\.0\.0\.1:\d+/
        )
        await eventually("PostgreSQL has ended", () => !servers.some(isAlive), 5000)
      })
    })
  )
})
