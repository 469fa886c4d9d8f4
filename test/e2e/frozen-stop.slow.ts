import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { putCluster } from "../support/postgresServer.ts"
import { postgresOf, runnersOf, signal, site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"

describe("a gateway that is told to stop while PostgreSQL does not answer", () => {
  it.live("stops all the same, and the run goes on at the next start", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      yield* putCluster(here.data)
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const id = await tenantOf(gateway.url).run(generator(undefined, 10))
        await tenantOf(gateway.url).running(id)
        const began = performance.now()
        const frozen = postgresOf(here.data)
        signal(frozen, "SIGSTOP")
        await gateway.kill("SIGTERM").finally(() => signal(frozen, "SIGCONT"))
        expect(performance.now() - began).toBeLessThan(60_000)
        expect(runnersOf(gateway.pid)).toEqual([])
        const next = await here.start()
        expect((await tenantOf(next.url).running(id)).events).toHaveLength(1)
      })
    })
  )
})
