import { connect, createServer, Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { flowline, node, places, settings, spec } from "./support.ts"

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A connection, as soon as somebody listens. */
const connected = async (port: number) => {
  let socket = new Socket()
  await eventually("a listener", async () => {
    socket = connect(port, "127.0.0.1")
    return await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true))
      socket.once("error", () => resolve(false))
    })
  })
  return socket
}

const wait = (condition: () => boolean | Promise<boolean>) =>
  Effect.promise(() => eventually("what the test waits for", condition))

describe("http_input with slow senders", () => {
  it.live("gives their places to others", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const port = yield* Effect.promise(freePort)
      const given = { port, max_waiting: 1 }
      const run = yield* running(
        settings(root),
        spec(flowline([node("http_input", given), node("show", { limit: 1000 }, "http_input")]))
      )
      const slow = yield* Effect.promise(() => connected(port))
      const said: Array<string> = []
      slow.on("error", () => {}).on("data", (chunk) => said.push(String(chunk)))
      const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n"
      slow.write(`${head}no\n`)
      const init = { method: "POST", body: "yes", headers: { "content-type": "text/plain" } }
      const statuses: Array<number> = []
      yield* wait(async () => {
        statuses.push((await fetch(`http://127.0.0.1:${port}/`, init)).status)
        return statuses.includes(429) && statuses.at(-1) === 202
      })
      yield* wait(() => said.join("").startsWith("HTTP/1.1 408 "))
      yield* wait(() => run.records().length > 0)
      assert.isTrue(run.records().every(({ message }) => message === "yes"))
      yield* run.stop
    })
  )
})
