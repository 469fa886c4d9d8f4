/**
 * The cost of credentials in a small GET: the gateway's processor time for the same JSON GET with each credential,
 * divided by that of a gateway without FLOW_AUTH and without a credential. Server and client have a core each. Many
 * short rounds send the same number of requests with each credential, in changing order. The result is the median of
 * the ratios within a round.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import { startEmbedded } from "../src/layers/postgres/embedded/Embedded.ts"
import { access } from "./access.ts"
import { load, startServers } from "./servers.ts"

/** With a query, so that the request takes the path of answers that can change. */
const path = "/v1/platform/tenant?"
/** Warm-up rounds, until the servers are compiled. */
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
    // As long as the password's header: the cost of reading a header that nothing uses.
    const unread = { "x-nothing": `Basic ${"a".repeat(16)}` }
    const cases = [
      { what: "no credential", server: open, sent: {} },
      { what: "a header that is not read", server: open, sent: unread },
      ...Object.entries(await headers(guarded.url)).map(([what, sent]) => ({ what, server: guarded, sent }))
    ]
    const times = new Map<string, Array<number>>(cases.map(({ what }) => [what, []]))
    for (let round = -warmups; round < rounds; round++) {
      // Each case follows each other case, because its garbage may be collected in the next.
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
