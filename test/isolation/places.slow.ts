import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import * as PythonPlaces from "../../src/layers/python/PythonPlaces.ts"
import { Flowline } from "../../src/protocol/Flowline.ts"
import type { AccessFile } from "../../src/services/access/AccessFile.ts"
import { AccessRules } from "../../src/services/access/AccessRules.ts"
import { withinPlace } from "../pybatch/support.ts"
import { configuration } from "../support/conf.ts"
import { testSettings } from "../support/gateway.ts"
import { site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { othersHavePython } from "./machines.ts"
import { flowline, hasPython, hostile, isRoot, outcomesOf } from "./victim.ts"

const systemPath = "/usr/bin:/bin"
const withoutAdmin = ["setpriv", "--bounding-set=-sys_admin"]
const canLack =
  isRoot &&
  spawnSync(
    withoutAdmin[0]!,
    [...withoutAdmin.slice(1), "env", `PATH=${systemPath}`, "python3", "-c", "import ctypes"],
    {
      stdio: "ignore"
    }
  ).status === 0

/** A gateway on a machine without namespaces. */
const lacking = Effect.fnUntraced(function* (isolation: string) {
  const conf = yield* configuration
  mkdirSync(join(conf.folderOf("mytenant"), "nodes"), { recursive: true })
  copyFileSync(hostile, join(conf.folderOf("mytenant"), "nodes/hostile.py"))
  const variables = { FLOW_CONF: conf.root, FLOW_ISOLATION: isolation, PATH: systemPath }
  const here = yield* site({ variables, through: withoutAdmin })
  const { url } = yield* Effect.promise(() => here.start())
  return { url, tenant: tenantOf(url) }
})

const attempt = flowline([["caps", "status", "CapEff:"]])

describe.skipIf(!hasPython || !canLack)("a machine that cannot isolate Python wholly", () => {
  it.live("does not run Python where that is required, and says so when a flowline is saved", () =>
    Effect.gen(function* () {
      const { tenant, url } = yield* lacking("required")
      yield* Effect.promise(async () => {
        const reason = "FLOW_ISOLATION is required, and this machine lacks files (unshare: Operation not permitted)"
        const saved: { readonly id: string; readonly warnings?: ReadonlyArray<string> } = await tenant.save(attempt)
        expect(saved.warnings).toEqual([expect.stringContaining(reason)])
        const detail = await tenant.ended(await tenant.execute(saved.id))
        expect([detail.state, detail.error]).toEqual(["FAILED", expect.stringContaining(reason)])
        expect((await fetch(`${url}/health/ready`)).status).toBe(200)
      })
    })
  )

  it.live("runs it with what can be had otherwise, and is as ready", () =>
    Effect.gen(function* () {
      const { tenant, url } = yield* lacking("auto")
      yield* Effect.promise(async () => {
        const detail = await tenant.ended(await tenant.run(attempt))
        expect([detail.state, detail.error]).toEqual(["SUCCEEDED", null])
        const ready = await fetch(`${url}/health/ready`)
        expect([ready.status, await ready.json()]).toMatchObject([
          200,
          { status: "ready", isolation: { python: othersHavePython ? ["user", "privileges"] : ["privileges"] } }
        ])
      })
    })
  )
})

const access: AccessFile = { tenants: { mytenant: { network: true }, othertenant: {} } }
const places = PythonPlaces.layer.pipe(
  Layer.provide(
    Layer.succeed(AccessRules, { current: () => access, faulty: () => false, changes: Stream.succeed(access) })
  ),
  Layer.provide(testSettings({ databaseUrl: "postgres://unused" }))
)

describe.skipIf(!hasPython || process.platform !== "linux")("the network of Python nodes", () => {
  it.live("is that of the machine for tenants that may use it, and none for all others", () =>
    Effect.gen(function* () {
      const { place } = yield* PythonPlaces.PythonPlaces
      const [mine, other, own] = yield* Effect.promise(() =>
        Promise.all([place("mytenant"), place("othertenant"), place()])
      )
      if (!own?.isolation?.parts.includes("network")) return
      expect(other).toEqual(own)
      expect(mine?.isolation?.parts).toEqual(own.isolation.parts.filter((part) => part !== "network"))
      const server = createServer((socket) => socket.end())
      yield* Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const address = server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      const tried = Schema.decodeUnknownSync(Flowline)(JSON.parse(flowline([["port", "connect", "127.0.0.1", port]])))
      const files = { "nodes/hostile.py": readFileSync(hostile, "utf8") }
      const outcomes = []
      for (const python of [mine!, other!]) {
        const { failure, printed } = yield* withinPlace(tried, files, python)
        expect(failure).toBe(undefined)
        outcomes.push(outcomesOf(printed)["port"])
      }
      expect(outcomes).toEqual([`connected to 127.0.0.1:${port}`, expect.stringContaining("Connection refused")])
    }).pipe(Effect.provide(places), Effect.scoped)
  )
})
