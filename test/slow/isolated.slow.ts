import { connect, createServer, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../cluster/database.ts"
import { freePort, members } from "../cluster/members.ts"
import { eventually } from "../support/process.ts"
import { isAlive, runnersOf } from "../support/process-gateway.ts"
import { type Detail, generator, tenantOf } from "../support/runs.ts"

/** A way to the database that can be cut, for one gateway. */
const passage = async (url: string) => {
  const target = new URL(url)
  const { hostname, port: behind } = target
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((from) => {
    if (!isOpen) return from.destroy()
    const to = connect(Number(behind), hostname)
    for (const [one, other] of [
      [from, to],
      [to, from]
    ] as const) {
      sockets.add(one)
      one.on("error", () => {})
      one.on("close", () => other.destroy())
    }
    from.pipe(to).pipe(from)
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done))
  target.port = String(port)
  return {
    url: target.href,
    cut: () => {
      isOpen = false
      for (const socket of sockets) socket.destroy()
    },
    open: () => {
      isOpen = true
    },
    close: () => server.close()
  }
}

const pidOf = ({ jobId }: Detail): number => Number(jobId?.split(":").at(-1))

describe("a gateway that alone has lost the database", () => {
  it.live("is replaced by others, and its runs end when it hears of that", () =>
    Effect.gen(function* () {
      const { start } = yield* members
      const { url, shared } = yield* database
      yield* Effect.promise(async () => {
        const way = await passage(url)
        const other = await start({ FLOW_DATABASE_URL: url })
        const alone = await start({ FLOW_DATABASE_URL: way.url })
        await shared(2)
        const tenant = tenantOf(other.url)
        const { id: flowline } = await tenant.save(generator(900, 20))
        const isOf = (gateway: { readonly pid: number }, detail: Detail) =>
          runnersOf(gateway.pid).includes(pidOf(detail))
        const ids: Array<string> = []
        const lost: Array<Detail> = []
        // The cluster decides where an execution runs.
        while (lost.length < 2) {
          const id = await tenant.execute(flowline)
          const detail = await tenant.running(id)
          ids.push(id)
          if (isOf(alone, detail)) lost.push(detail)
        }
        way.cut()
        for (const { id } of lost) {
          await tenant.until(id, (detail) => detail.state === "RUNNING" && isOf(other, detail))
        }
        // Until it hears of the takeover, it cannot know that this is no outage of the database for all.
        expect(lost.map(pidOf).filter((pid) => !isAlive(pid))).toEqual([])
        way.open()
        await eventually("the runs that were taken over have ended", () => !lost.map(pidOf).some(isAlive))
        for (const id of ids) {
          const detail = await tenant.ended(id)
          expect([detail.state, detail.error, detail.events.length]).toEqual(["SUCCEEDED", null, 2])
          const { lines } = await tenant.get<{ lines: ReadonlyArray<{ text: string }> }>(
            `flowline/executions/${id}/output`
          )
          const all = Array.from({ length: 900 }, (_, index) => ["one", "two", "three"][index % 3])
          expect(lines.slice(-900).map(({ text }) => JSON.parse(text).message)).toEqual(all)
        }
        way.close()
      })
    })
  )
})
