import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { nodeServer } from "../../src/layers/http/server/NodeServer.ts"
import { eventually } from "../support/process.ts"
import { openSocket } from "../support/socket.ts"

/** A server whose answers the test gives: by path, once the request has come. */
const served = Effect.acquireRelease(
  Effect.promise(async () => {
    /** Paths and statuses of the exchanges that have ended. */
    const ended: Array<string> = []
    const server = nodeServer(({ url, status }) => ended.push(`${url} ${status}`))
    const responses = new Map<string, ServerResponse>()
    server.on("request", (request, response) => responses.set(request.url ?? "", response))
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const { port } = server.address() as AddressInfo
    const asked = async (path: string) => {
      await eventually(`${path} has come`, () => responses.has(path))
      return responses.get(path)!
    }
    return { server, port, ended, asked }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const chunked = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`

/** The answers as they came: statuses, and the bodies of those that the test gave. */
const told = (bytes: Buffer): ReadonlyArray<string> =>
  [...bytes.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3})|(first|second)/g)].map(
    ([, status, body]) => status ?? body!
  )

it.live("what is no request is refused after the answers to the requests before it", () =>
  Effect.gen(function* () {
    const { port, asked, ended } = yield* served
    yield* Effect.promise(async () => {
      const socket = await openSocket(port)
      socket.write(`${get("/one")}${get("/two")}GARBAGE\r\n\r\n`)
      const second = await asked("/two")
      // What else comes is read by nobody.
      socket.write(`GARBAGE\r\n\r\n${get("/three")}`)
      second.end("second")
      const first = await asked("/one")
      first.end("first")
      await socket.closed
      expect(told(socket.received())).toEqual(["200", "first", "200", "second", "400"])
      expect(ended).toEqual(["/one 200", "/two 200", " 400"])
    })
  })
)

it.live("a body that breaks off gets one answer, and none after one that has begun", () =>
  Effect.gen(function* () {
    const { port, asked } = yield* served
    yield* Effect.promise(async () => {
      const waiting = await openSocket(port)
      waiting.write(`${chunked("/waiting")}zz\r\n`)
      await waiting.closed
      expect(told(waiting.received())).toEqual(["400"])

      const answered = await openSocket(port)
      answered.write(chunked("/answered"))
      const early = await asked("/answered")
      early.end("first")
      await eventually("it is answered", () => told(answered.received()).includes("first"))
      answered.write("zz\r\n")
      await answered.closed
      expect(told(answered.received())).toEqual(["200", "first"])

      const begun = await openSocket(port)
      begun.write(chunked("/begun"))
      const half = await asked("/begun")
      half.writeHead(200, { "content-length": 1000 })
      half.write("first")
      await eventually("it has begun", () => told(begun.received()).includes("first"))
      begun.write("zz\r\n")
      await begun.closed
      expect(told(begun.received())).toEqual(["200", "first"])

      const behind = await openSocket(port)
      behind.write(`${get("/before")}${chunked("/broken")}zz\r\n`)
      await behind.closed
      expect(told(behind.received())).toEqual([])
    })
  })
)

it.live("CONNECT ends the answers that the connection still owes", () =>
  Effect.gen(function* () {
    const { port, asked, ended } = yield* served
    yield* Effect.promise(async () => {
      const connect = "CONNECT b:80 HTTP/1.1\r\nHost: b:80\r\n\r\n"
      const alone = await openSocket(port)
      alone.write(connect)
      await alone.closed
      expect(told(alone.received())).toEqual(["400"])
      const socket = await openSocket(port)
      socket.write(get("/one") + get("/two") + connect)
      await Promise.all([asked("/one"), asked("/two")])
      await socket.closed
      await eventually("both have ended", () => ["/one 200", "/two 200"].every((one) => ended.includes(one)))
    })
  })
)
