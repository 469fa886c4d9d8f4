import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gateway, TestGateway } from "../support/gateway.ts"

layer(gateway(), { excludeTestServices: true })("the installation", (it) => {
  it.effect("tells its gateways, its version, and what retention keeps and looks at next", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const before = Date.now()
      const { version, gateways, retention } = yield* client.platform.installation()
      expect(version).toMatch(/^\d+\.\d+\.\d+/)
      const own = gateways.filter(({ answering }) => answering)
      expect(own).toMatchObject([
        { name: expect.stringMatching(new RegExp(`:${process.pid}$`)), address: null, executions: 0, jobs: 0 }
      ])
      expect(Math.abs(Date.parse(own[0]!.seenAt) - before)).toBeLessThan(60_000)
      expect(retention.mode).toBe("on")
      expect(retention.keeps.map(({ kind }) => kind)).toEqual([
        "executions",
        "archives",
        "versions",
        "audit",
        "documents"
      ])
      expect(retention.keeps[0]).toEqual({
        kind: "executions",
        setting: "FLOW_KEEP_EXECUTIONS",
        ageSeconds: 90 * 86_400,
        number: 100_000,
        bytes: 10 * 2 ** 30
      })
      expect(retention.keeps[4]).toMatchObject({ ageSeconds: null, number: null, bytes: null })
      const next = Date.parse(retention.nextRoundAt ?? "")
      expect(next).toBeGreaterThan(before)
      expect(next).toBeLessThanOrEqual(Date.now() + 600_000)
    })
  )
})
