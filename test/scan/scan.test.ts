import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { catalogue } from "../../src/nodes/Catalogue.ts"
import { runtimes } from "../../src/protocol/Flowline.ts"
import type { NodeDescriptor } from "../../src/services/scan/Descriptor.ts"
import { Scan } from "../../src/services/scan/Scan.ts"
import { TenantNodes } from "../../src/services/scan/TenantNodes.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { auditing } from "../memory/Audit.ts"
import { onBoth, raw, TestGateway } from "../support/gateway.ts"

const tenant = "mytenant"

onBoth("the scan", (it) => {
  it.effect("lists the catalogue's nodes for each runtime that can run them", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const all = yield* client.scan.all({ params: { tenant } })
      const one = {
        analytics: yield* client.scan.analytics({ params: { tenant } }),
        pybatch: yield* client.scan.pybatch({ params: { tenant } }),
        stream: yield* client.scan.stream({ params: { tenant } })
      }
      expect(all).toEqual(one)
      for (const runtime of runtimes) {
        const builtin = all[runtime].filter(({ source }) => source === "builtin")
        const expected = [...catalogue.values()].filter((node) => node.runtimes.includes(runtime))
        expect(builtin.map(({ type }) => type)).toEqual(expected.map(({ type }) => type))
        for (const node of builtin) {
          expect(node).toMatchObject({
            settings: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" },
            inputs: { min: expect.any(Number), max: expect.any(Number) },
            example: expect.any(Object)
          })
        }
      }
    })
  )

  it.effect("is reset without a body, and unknown for an unknown tenant", () =>
    Effect.gen(function* () {
      const reset = yield* raw(`/v1/${tenant}/flowline/scan/reset`, { method: "DELETE" })
      expect([reset.status, yield* Effect.promise(() => reset.text())]).toEqual([200, ""])
      for (const path of ["", "/stream", "/analytics", "/pybatch"]) {
        expect((yield* raw(`/v1/nobody/flowline/scan${path}`)).status).toBe(404)
        expect((yield* raw(`/v1/${tenant}/flowline/scan${path}`, { method: "PATCH" })).status).toBe(405)
      }
      expect((yield* raw(`/v1/${tenant}/flowline/scan/other`)).status).toBe(404)
    })
  )
})

describe("a tenant's own nodes", () => {
  const found = (type: string): NodeDescriptor => ({ type, runtimes: ["pybatch"], source: `nodes/${type}.py` })

  it.effect("are remembered until they change or the cache is reset, for each tenant", () =>
    Effect.gen(function* () {
      const scans: Array<string> = []
      let version = "1"
      const nodes = Layer.succeed(TenantNodes, {
        version: () => Effect.sync(() => version),
        files: () => Effect.succeed([]),
        scan: (tenant) =>
          Effect.sync(() => {
            scans.push(tenant)
            return { nodes: [found(`${tenant}_${scans.length}`)], isSettled: true }
          })
      })
      const last = (tenant: string) =>
        Effect.flatMap(Scan, (scan) =>
          Effect.map(scan.nodes(TenantId(tenant), "pybatch"), (nodes) => nodes.at(-1)?.type)
        )
      const types = yield* Effect.gen(function* () {
        const scan = yield* Scan
        const together = yield* Effect.all([last("a"), last("a"), last("a")], { concurrency: "unbounded" })
        const other = yield* last("b")
        yield* scan.reset(TenantId("a"))
        const reset = [yield* last("a"), yield* last("b")]
        version = "2"
        return [...together, other, ...reset, yield* last("b")]
      }).pipe(Effect.provide(Layer.provide(Scan.layer, [nodes, auditing])))
      expect(types).toEqual(["a_1", "a_1", "a_1", "b_2", "a_3", "b_2", "b_4"])
      expect(scans).toEqual(["a", "b", "a", "b"])
    })
  )

  it.effect("are looked for again after a minute where Python could not read them", () =>
    Effect.gen(function* () {
      let scans = 0
      const nodes = Layer.succeed(TenantNodes, {
        version: () => Effect.succeed("1"),
        files: () => Effect.succeed([]),
        scan: () => Effect.sync(() => ({ nodes: [found(`node_${++scans}`)], isSettled: scans > 1 }))
      })
      const types = yield* Effect.gen(function* () {
        const { own } = yield* Scan
        const type = Effect.map(own(TenantId("a")), ([node]) => node?.type)
        const first = [yield* type, yield* type]
        yield* TestClock.adjust("1 minute")
        const second = [yield* type, yield* type]
        yield* TestClock.adjust("1 day")
        return [...first, ...second, yield* type]
      }).pipe(Effect.provide(Layer.provide(Scan.layer, [nodes, auditing])))
      expect(types).toEqual(["node_1", "node_1", "node_2", "node_2", "node_2"])
    })
  )

  it.effect("of a tenant whose files take long hold up no other tenant", () =>
    Effect.gen(function* () {
      const nodes = Layer.succeed(TenantNodes, {
        version: () => Effect.succeed("1"),
        files: () => Effect.succeed([]),
        scan: (tenant) =>
          tenant === "slow" ? Effect.never : Effect.succeed({ nodes: [found(tenant)], isSettled: true })
      })
      const [last, refused] = yield* Effect.gen(function* () {
        const { own } = yield* Scan
        const slow = () => Effect.forkChild(own(TenantId("slow")), { startImmediately: true })
        yield* Effect.forEach(Array(65), slow)
        return [yield* own(TenantId("quick")), yield* Effect.flip(own(TenantId("slow")))]
      }).pipe(Effect.provide(Layer.provide(Scan.layer, [nodes, auditing])))
      expect(last).toMatchObject([{ type: "quick" }])
      expect(refused).toMatchObject({ _tag: "Overloaded", detail: expect.stringContaining("64 requests") })
    })
  )

  it.effect("are asked for once per request, and requests do not wait for each other while the storage hangs", () =>
    Effect.gen(function* () {
      let asked = 0
      const nodes = Layer.succeed(TenantNodes, {
        version: () =>
          Effect.andThen(
            Effect.sync(() => asked++),
            Effect.delay(Effect.fail(new StorageUnreachable({ storage: "metadata" })), "2 seconds")
          ),
        files: () => Effect.succeed([]),
        scan: () => Effect.die("not scanned")
      })
      const failures = yield* Effect.gen(function* () {
        const { all } = yield* Scan
        const requests = yield* Effect.forEach(Array(6), () =>
          Effect.forkChild(Effect.flip(all(TenantId("a"))), { startImmediately: true })
        )
        yield* TestClock.adjust("2 seconds")
        return requests.map((request) => request.pollUnsafe())
      }).pipe(Effect.provide(Layer.provide(Scan.layer, [nodes, auditing])))
      expect(asked).toBe(6)
      expect(failures).toMatchObject(Array(6).fill({ value: { _tag: "StorageUnreachable" } }))
    })
  )
})
