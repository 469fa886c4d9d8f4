import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { type AddressInfo, createConnection } from "node:net"
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
    return { server, port, ended, asked, responses }
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
      const first = await asked("/one")
      // What else comes is read by nobody.
      socket.write(`GARBAGE\r\n\r\n${get("/three")}`)
      first.end("first")
      const second = await asked("/two")
      second.end("second")
      await socket.closed
      expect(told(socket.received())).toEqual(["200", "first", "200", "second", "400"])
      expect(ended).toEqual(["/one 200", "/two 200", " 400"])
    })
  })
)

it.live("a connection that is refused is over soon, whatever its client does", () =>
  Effect.gen(function* () {
    const { server, port } = yield* served
    yield* Effect.promise(async () => {
      const open = () => new Promise<number>((done) => server.getConnections((_, count) => done(count)))
      for (const text of ["CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "GARBAGE\r\n\r\n"]) {
        for (const resets of [true, false]) {
          const socket = createConnection({ port, host: "127.0.0.1", allowHalfOpen: true })
          socket.on("error", () => {})
          socket.resume()
          socket.write(text)
          await once(socket, "end")
          if (resets) socket.resetAndDestroy()
          await eventually("the server has closed it", async () => (await open()) === 0)
          socket.destroy()
        }
      }
    })
  })
)

it.live("a body that breaks off gets one answer, and none after one that has begun", () =>
  Effect.gen(function* () {
    const { port, asked, responses } = yield* served
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
      const before = await asked("/before")
      before.end("first")
      await behind.closed
      expect(told(behind.received())).toEqual(["200", "first", "400"])
      expect(responses.has("/broken")).toBe(false)
    })
  })
)

it.live("CONNECT ends the answer that is in progress, and what waits for it", () =>
  Effect.gen(function* () {
    const { port, asked, ended, responses } = yield* served
    yield* Effect.promise(async () => {
      const connect = "CONNECT b:80 HTTP/1.1\r\nHost: b:80\r\n\r\n"
      const alone = await openSocket(port)
      alone.write(connect)
      await alone.closed
      expect(told(alone.received())).toEqual(["400"])
      const socket = await openSocket(port)
      socket.write(get("/one") + get("/two") + connect)
      await asked("/one")
      await socket.closed
      await eventually("it has ended", () => ended.includes("/one 200"))
      expect(responses.has("/two")).toBe(false)
    })
  })
)

it.live("requests of a connection are handled one after the other, each with its body", () =>
  Effect.gen(function* () {
    const { port, asked, responses } = yield* served
    yield* Effect.promise(async () => {
      const socket = await openSocket(port)
      const body = "x".repeat(300_000)
      const post = `POST /two HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const expecting = "POST /three HTTP/1.1\r\nHost: a\r\nExpect: nothing\r\nContent-Length: 0\r\n\r\n"
      socket.write(get("/one") + post + expecting + get("/four").replace("Host", "Connection: close\r\nHost"))
      const first = await asked("/one")
      // A request on another connection passes it.
      const other = await openSocket(port)
      other.write(get("/other"))
      const passing = await asked("/other")
      passing.end("second")
      expect([...responses.keys()]).toEqual(["/one", "/other"])
      first.end("first")
      const second = await asked("/two")
      let received = 0
      for await (const chunk of second.req) received += chunk.length
      expect(received).toBe(body.length)
      expect(responses.has("/four")).toBe(false)
      second.end("second")
      const fourth = await asked("/four")
      fourth.end()
      await socket.closed
      expect(told(socket.received())).toEqual(["200", "first", "200", "second", "417", "200"])
      other.socket.destroy()
    })
  })
)

it.live("more requests than may wait on a connection are refused after the answers to those that wait", () =>
  Effect.gen(function* () {
    const { port, server, asked, ended } = yield* served
    server.on("request", ({ url }, response) => url !== "/first" && response.end("second"))
    yield* Effect.promise(async () => {
      const socket = await openSocket(port)
      socket.write(get("/first"))
      const first = await asked("/first")
      // Much more than the buffers of a connection hold: what is refused is read and thrown away.
      const many = get("/many").repeat(100_000)
      socket.write(many)
      await eventually("all has been read", () => first.req.socket.bytesRead > many.length)
      first.end("first")
      await socket.closed
      const expected = ["200", "first", ...Array.from({ length: 100 }, () => ["200", "second"]).flat(), "429"]
      expect(told(socket.received())).toEqual(expected)
      const problem = JSON.parse(/\{"type".*/.exec(socket.received().toString())![0])
      expect(problem).toMatchObject({
        type: "/problems/limit-exceeded",
        detail: "The limit waitingRequests of a connection is 100: read answers before you send more",
        limit: "waitingRequests",
        value: 100
      })
      expect(ended.length).toBe(102)
    })
  })
)

it.live("an answer ends when its client goes, whatever came after the request", () =>
  Effect.gen(function* () {
    const { port, asked, ended } = yield* served
    yield* Effect.promise(async () => {
      const others = ["", get("/other"), "GARBAGE\r\n\r\n", get("/other").repeat(3000), "GET / HT"]
      for (const [at, more] of others.entries()) {
        const socket = await openSocket(port)
        socket.write(get(`/${at}`) + more)
        const answer = await asked(`/${at}`)
        answer.write("first")
        await eventually("it has begun", () => told(socket.received()).includes("first"))
        socket.socket.end()
        await eventually(`${at} has ended`, () => ended.includes(`/${at} 200`))
        await socket.closed
      }
    })
  })
)
