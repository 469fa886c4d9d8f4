import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SendRate } from "../../src/layers/http/server/SendRate.ts"
import { eventually } from "../support/process.ts"
import { openSocket } from "../support/socket.ts"

const mebibyte = 1024 * 1024

/** A server that answers with more than the buffers of a connection hold, in one write. */
const served = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<Server>((resolve) => {
        const server = createServer((request, response) => {
          if (request.url === "/large") response.end(Buffer.alloc(96 * mebibyte))
          else response.write("begun")
        })
        server.listen(0, "127.0.0.1", () => resolve(server))
      })
  ),
  (server) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

it.live("a client that takes nothing is cut, one that takes enough or to which nothing is sent is not", () =>
  Effect.gen(function* () {
    const server = yield* served
    const rate = new SendRate(1024)
    server.on("connection", (socket) => rate.add(socket))
    const { port } = server.address() as AddressInfo
    yield* Effect.promise(async () => {
      const [stalled, moving, silent] = await Promise.all([openSocket(port), openSocket(port), openSocket(port)])
      const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
      let allowed = mebibyte
      moving.socket.on("data", () => {
        if (moving.socket.bytesRead >= allowed) moving.socket.pause()
      })
      stalled.socket.pause()
      stalled.write(ask("/large"))
      moving.write(ask("/large"))
      silent.write(ask("/quiet"))
      const arrived = (bytes: number) =>
        eventually(`${bytes} bytes arrived`, async () => moving.socket.bytesRead >= bytes)
      await arrived(allowed)
      await eventually("the silent one has its head", async () => silent.socket.bytesRead > 0)
      const connections = () => new Promise<number>((done) => server.getConnections((_, count) => done(count)))
      let now = 0
      // The kernel's buffers fill first, which is progress.
      while ((await connections()) === 3) {
        await rate.look(now)
        now += 30_000
        // The kernel of a reader tells only when a part of its buffer is free again.
        allowed = moving.socket.bytesRead + mebibyte
        moving.socket.resume()
        await arrived(allowed)
      }
      assert.isAtLeast(now, 90_000)
      assert.strictEqual(await connections(), 2)
      assert.isFalse(moving.isClosed())
      assert.isFalse(silent.isClosed())
      for (const { socket } of [stalled, moving, silent]) socket.destroy()
    })
  }).pipe(Effect.scoped)
)
