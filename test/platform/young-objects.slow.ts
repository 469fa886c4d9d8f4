import { Agent, get } from "node:http"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { site } from "../support/process-gateway.ts"

const requests = 12_000
const connections = 32

/** Sends so many requests over some connections and reads their answers. */
const ask = (url: string, count: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: connections })),
    (agent) => {
      const one = Effect.callback<void, Error>((resume) => {
        const request = get(url, { agent }, (response) => {
          response.resume().on("end", () => resume(Effect.void))
        })
        request.on("error", (error) => resume(Effect.fail(error)))
      })
      return Effect.forEach(Array.from({ length: count }), () => one, { concurrency: connections, discard: true })
    },
    (agent) => Effect.sync(() => agent.destroy())
  )

/** MiB by which each collection of young objects has left more than the one before it, summed up. */
const kept = (trace: string): number => {
  const after = [...trace.matchAll(/Scavenge [\d.]+ \([\d.]+\) -> ([\d.]+) /g)].map(([, left]) => Number(left))
  return after.slice(1).reduce((sum, left, at) => sum + Math.max(0, left - after[at]!), 0)
}

it.live("what a request has made goes with the next collection of young objects", () =>
  Effect.gen(function* () {
    const { spawn } = yield* site({ through: ["sh", "-c", 'exec "$0" --trace-gc "$@"'] })
    const gateway = spawn()
    const address = () => /ready (http:\S+)/.exec(gateway.stdout())?.[1]
    yield* Effect.promise(() => eventually("the ready line", () => address() !== undefined))
    const url = `${address()}/v1/platform/tenant`
    // Until V8 has compiled it, and has seen which objects survive.
    yield* ask(url, requests / 2)
    const before = kept(gateway.stdout())
    yield* ask(url, requests)
    const grown = kept(gateway.stdout()) - before
    // In kibibytes for each request; it was 5, all that it had made.
    expect((grown * 1024) / requests).toBeLessThan(1)
  })
)
