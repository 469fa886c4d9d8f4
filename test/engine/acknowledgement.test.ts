import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "../cluster/members.ts"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { flowline, node, places, settings, spec } from "./support.ts"

describe("an acknowledgement of http_input", () => {
  /** A run that forwards its input to a server, which answers on request. */
  const passing = (given: Record<string, unknown>) =>
    Effect.gen(function* () {
      const { root } = yield* places
      const port = yield* Effect.promise(freePort)
      const held: Array<() => void> = []
      const server = createServer((_, response) => void held.push(() => response.end()))
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
        () => Effect.sync(() => server.closeAllConnections())
      )
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const output = node("http_output", { url }, "http_input")
      const run = yield* running(
        settings(root, { outbound: ["127.0.0.1"] }),
        spec(flowline([node("http_input", { port, ...given }), output]))
      )
      const to = `http://127.0.0.1:${port}/`
      const isOpen = () => fetch(to).then(({ status }) => status === 405)
      yield* Effect.promise(() => eventually("the run listens", () => isOpen().catch(() => false)))
      const post = () => fetch(to, { method: "POST", body: '{"n":1}' })
      return { run, held, post }
    })

  it.live("comes when the outputs have the records", () =>
    Effect.gen(function* () {
      const { run, held, post } = yield* passing({})
      let isAnswered = false
      const answer = post().finally(() => {
        isAnswered = true
      })
      yield* Effect.promise(() => eventually("the records are at the output", () => held.length === 1))
      assert.isFalse(isAnswered)
      held[0]?.()
      assert.strictEqual((yield* Effect.promise(() => answer)).status, 202)
      yield* run.stop
    })
  )

  it.live("is refused when that takes too long, and no more requests are taken than may wait", () =>
    Effect.gen(function* () {
      const { run, held, post } = yield* passing({ ack_seconds: 0.1, max_waiting: 1 })
      const late = yield* Effect.promise(post)
      assert.deepStrictEqual([late.status, late.headers.get("retry-after")], [503, "5"])
      // The records of the first request are still under way.
      assert.strictEqual((yield* Effect.promise(post)).status, 429)
      held[0]?.()
      yield* Effect.promise(() => eventually("a free place", async () => (await post()).status !== 429))
      yield* run.stop
    })
  )
})
