import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Liveness from "../src/protocol/Liveness.ts"

const { heartbeat, lease, takeover, storageDeadline, jobHeartbeat, lastWrite, stopGrace, entityStop } = Liveness

/** Why the times are in this order, and the times. */
const orders: ReadonlyArray<readonly [why: string, ...times: ReadonlyArray<number>]> = [
  ["two late heartbeats end no run", 3 * heartbeat, Liveness.ownSilence, lease],
  ["a run of a frozen gateway is gone before another gateway takes over", lease, Liveness.runGone, takeover],
  ["the last heartbeat in the database may be older than the last one to the runs", heartbeat + lease, takeover],
  ["a heartbeat that gets no answer is followed by another one", storageDeadline + heartbeat, takeover],
  [
    "a write that waits for the database is tried again before others take over",
    Liveness.outageRetry.longest,
    takeover
  ],
  ["pauses between tries become longer", Liveness.outageRetry.first, Liveness.outageRetry.longest],
  ["a statement is given up before its connection", storageDeadline, Liveness.connectionSilence],
  ["a missing answer of the database loses no shard", Liveness.shardAnswer, Liveness.shardRefresh, takeover],
  ["one late heartbeat is no outage", 2 * heartbeat, Liveness.outageGap],
  ["a gateway is heard after an outage before it counts as gone", Liveness.outageGap + 3 * heartbeat, takeover],
  ["who is gone is seen while others still look", Liveness.clusterPoll, takeover],
  ["a heartbeat without an answer is tried again in time", 2 * Liveness.beatDeadline + 2 * heartbeat, takeover],
  ["a run looks often for signs of its gateway", Liveness.signPoll, heartbeat],
  [
    "a gateway that stands still is taken over before its jobs are told again",
    takeover,
    Liveness.standstill,
    Liveness.jobUnattended
  ],
  ["who ends on this host is seen before its next heartbeat", Liveness.departurePoll, heartbeat],
  ["who is alone has less to look for", Liveness.clusterPoll, Liveness.clusterPollAlone],
  ["who has lost an execution hears of it before it is claimed", 2 * Liveness.clusterPoll, Liveness.reclaimPause],
  ["executions of a gateway that is gone are found soon", Liveness.executionScan, takeover],
  ["who starts an execution may still be telling", Liveness.tellDeadline - 1, Liveness.executionUnclaimed],
  ["two late heartbeats make no job look stopped", 3 * jobHeartbeat, takeover, Liveness.jobSilence],
  ["the cluster moves a job before it is told again", takeover + Liveness.jobScan, Liveness.jobUnattended],
  ["after an outage keepers give signs of life before the next scan", jobHeartbeat + storageDeadline, Liveness.jobScan],
  ["the last write has several tries", 4 * Liveness.lastWriteRetry, lastWrite],
  ["a run and its last write end before the cluster gives up", stopGrace + lastWrite, entityStop, Liveness.serverStop],
  ["the answer to a stop waits for the run to end", stopGrace + lastWrite, Liveness.stopAnswer, Liveness.serverStop]
]

describe("the times that gateways and runs allow one another", () => {
  for (const [why, ...times] of orders) {
    it(`are in order: ${why}`, () => {
      for (const [index, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[index]!)
    })
  }

  it("take a gateway for gone when its shards are lost", () => {
    expect(Liveness.shardExpiration).toBe(takeover)
  })

  it("let a stop come to its end, in every example of the documentation", () => {
    const { fast, immediate, killed } = Liveness.databaseStop
    const longest = Liveness.serverStop + entityStop + fast + immediate + killed
    expect(Liveness.serviceStop).toBeGreaterThan(longest)
    const text = ["operations", "cluster"]
      .map((page) => readFileSync(new URL(`../docs/${page}.md`, import.meta.url), "utf8"))
      .join("")
    const given = /(?:TimeoutStopSec=|docker stop --time |stop_grace_period: |terminationGracePeriodSeconds: )(\d+)/g
    const seconds = [...text.matchAll(given)].map(([, number]) => Number(number))
    expect(seconds).toEqual(Array(6).fill(Liveness.serviceStop / 1000))
  })

  it("are those that the documentation of clusters names", () => {
    const docs = readFileSync(new URL("../docs/cluster.md", import.meta.url), "utf8")
    expect(docs).toContain(`has been missing for ${lease / 1000} seconds`)
    expect(takeover).toBe(7000)
    expect(docs).toContain("after seven seconds without a heartbeat")
  })
})
