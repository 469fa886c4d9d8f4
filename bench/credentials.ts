/**
 * What a credential costs a small GET: the processor time of the gateway for the same JSON GET with each credential,
 * over that of a gateway without FLOW_AUTH that gets no credential. Server and client have a core each. Every round
 * sends the same number of requests to all of them, in turn and in an order that changes; the least time of the rounds
 * counts, as other work only adds.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import { startEmbedded } from "../src/layers/postgres/Embedded.ts"
import { access } from "./access.ts"
import { load, startServers } from "./servers.ts"

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
    for (let round = -1; round < rounds; round++) {
      for (const { what, server, sent } of round % 2 === 0 ? cases : cases.toReversed()) {
        const { microsPerRequest } = await load(server, "/v1/platform/tenant", sent, { amount: requests })
        // The first round warms up.
        if (round >= 0) times.get(what)?.push(microsPerRequest)
      }
    }
    close()
    const least = (what: string) => Math.min(...(times.get(what) ?? []))
    console.log(`Node ${process.versions.node}, ${rounds} rounds of ${requests} requests, least processor time of each`)
    for (const { what } of cases) {
      const all = (times.get(what) ?? []).toSorted((a, b) => a - b)
      const median = all[Math.floor(all.length / 2)] ?? Number.NaN
      console.log(
        `${what.padEnd(28)} ${least(what).toFixed(1).padStart(6)} µs   ` +
          `${(least(what) / least("no credential")).toFixed(2)} of none   median ${median.toFixed(1)} µs`
      )
    }
  } finally {
    await servers.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}
