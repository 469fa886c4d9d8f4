/**
 * What a credential costs a small GET: the processor time of the gateway for the same JSON GET with each credential,
 * over that of a gateway without FLOW_AUTH that gets no credential. Server and client have a core each. Many
 * short rounds send the same number of requests to all of them, in an order that changes; the median of the ratios within
 * a round counts.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import { startEmbedded } from "../src/layers/postgres/Embedded.ts"
import { access } from "./access.ts"
import { load, startServers } from "./servers.ts"

/** With a query, so that the answer takes the way of those that can change. */
const path = "/v1/platform/tenant?"
/** Rounds that are not counted, until the servers are compiled. */
const warmups = 10

/** Measures and prints. The process stays on one core. */
export const credentialCosts = async (rounds: number, requests: number) => {
  spawnSync("taskset", ["-acp", "1", String(process.pid)])
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  chmodSync(folder, 0o711)
  const servers = startServers(folder)
  const scope = Effect.runSync(Scope.make())

  const gateway = async (name: string, more: Record<string, string>) => {
    const { url } = await Effect.runPromise(
      Scope.provide(startEmbedded({ folder: join(folder, `${name}-postgres`) }), scope)
    )
    const env = { FLOW_DATA: join(folder, name), FLOW_DATABASE_URL: Redacted.value(url), FLOW_PORT: "0", ...more }
    return servers.start(["src/main.ts"], { env, core: 0 })
  }

  try {
    const { variables, headers, close } = await access(join(folder, "access.json"))
    const open = await gateway("open", {})
    const guarded = await gateway("guarded", variables)
    // Of the length of the password's header: what reading a header costs that nobody looks at.
    const unread = { "x-nothing": `Basic ${"a".repeat(16)}` }
    const cases = [
      { what: "no credential", server: open, sent: {} },
      { what: "a header that is not read", server: open, sent: unread },
      ...Object.entries(await headers(guarded.url)).map(([what, sent]) => ({ what, server: guarded, sent }))
    ]
    const times = new Map<string, Array<number>>(cases.map(({ what }) => [what, []]))
    for (let round = -warmups; round < rounds; round++) {
      // Each case comes after each other one, as garbage of one may be collected in the next.
      const turned = cases.map((_, at) => cases[(at * (1 + (Math.abs(round) % 4)) + Math.abs(round)) % cases.length]!)
      for (const { what, server, sent } of turned) {
        const { microsPerRequest } = await load(server, path, sent, { amount: requests, connections: 32 })
        if (round >= 0) times.get(what)?.push(microsPerRequest)
      }
    }
    close()
    const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
    const timesOf = (what: string) => times.get(what) ?? []
    console.log(`Node ${process.versions.node}, ${rounds} rounds of ${requests} requests, medians`)
    for (const { what } of cases) {
      const ratios = timesOf(what).map((micros, round) => micros / (timesOf("no credential")[round] ?? Number.NaN))
      console.log(
        `${what.padEnd(28)} ${median(timesOf(what)).toFixed(1).padStart(6)} µs   ${median(ratios).toFixed(2)} of none`
      )
    }
  } finally {
    await servers.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}
