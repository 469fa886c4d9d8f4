import { connect, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"

/** A connection that stays open; undefined when the gateway closes it. */
const idle = (port: number) =>
  new Promise<Socket | undefined>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const isOpen = () => resolve(socket)
    socket.on("error", () => {})
    socket.once("close", () => resolve(undefined))
    // A refused connection is closed before the answer to a request on another one.
    socket.once("connect", () => {
      socket.once("data", isOpen)
      socket.write("GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n")
    })
  })

describe.runIf(process.platform === "linux")("a gateway that may open 128 files", () => {
  it.live("executes what it is given, however many connections are open", () =>
    Effect.gen(function* () {
      const here = yield* site({ through: ["/bin/sh", "-c", 'ulimit -n 128; exec "$0" "$@"'] })
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const tenant = tenantOf(gateway.url)
        const { id: flowline } = await tenant.save(generator(20, 20))
        const open: Array<Socket> = []
        for (;;) {
          const socket = await idle(gateway.port)
          if (socket === undefined) break
          open.push(socket)
        }
        // Two are left to this test.
        for (const socket of open.splice(0, 2)) {
          const closed = new Promise((done) => socket.once("close", done))
          socket.destroy()
          await closed
        }
        const ids: Array<string> = []
        for (let run = 0; run < 8; run++) ids.push(await tenant.execute(flowline))
        for (const id of ids) {
          const { state, error } = await tenant.ended(id)
          expect([state, error]).toEqual(["SUCCEEDED", null])
        }
        for (const socket of open) socket.destroy()
      })
    })
  )
})
