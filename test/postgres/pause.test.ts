import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { expect, it } from "vitest"
import { connectWatched } from "../../src/drivers/postgres/LivenessSocket.ts"

/** A server that answers the first bytes of a connection with `ReadyForQuery` as soon as it is allowed to, and says so. */
const answering = `
  const { createServer } = require("node:net")
  const { parentPort, workerData: flags } = require("node:worker_threads")
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () =>
      socket.write(Uint8Array.of(0x5a, 0, 0, 0, 5, 0x49), () => {
        Atomics.store(flags, 0, 1)
        Atomics.notify(flags, 0)
      }))
  })
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port))
`

it("an answer that came while the whole process stood still is no silence of the server", async () => {
  const flags = new Int32Array(new SharedArrayBuffer(4))
  const server = new Worker(answering, { eval: true, workerData: flags })
  try {
    const [port] = (await once(server, "message")) as [number]
    const limit = 50
    const socket = connectWatched({ host: "127.0.0.1", port }, { silence: 10, probe: 1000, limit }, false)
    await once(socket, "connect")
    const ended = new Promise((done) => {
      socket.once("error", (cause) => done(cause.message))
      socket.once("data", (bytes: Uint8Array) => done(bytes.length))
    })
    socket.write("a query")
    // This thread stands still until the answer has come, and for longer than a server may be silent.
    Atomics.wait(flags, 0, 0)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, limit + 10)
    expect(await ended).toBe(6)
    socket.destroy()
  } finally {
    await server.terminate()
  }
})
