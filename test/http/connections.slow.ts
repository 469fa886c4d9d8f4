import { existsSync, readdirSync, truncateSync, writeFileSync } from "node:fs"
import type { Server, ServerResponse } from "node:http"
import { join } from "node:path"
import { describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { vi } from "vitest"
import { nodeServer, timeouts } from "../../src/layers/http/server/NodeServer.ts"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { openBelow, openFiles, type Running, residentMib, site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { openSocket, parseAnswer, rawGet } from "../support/socket.ts"

class Gateway extends Context.Service<
  Gateway,
  { readonly gateway: Running; readonly root: string; readonly data: string }
>()("test/http/Gateway") {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const { root, folderOf } = yield* configuration
      const large = join(folderOf("mytenant"), "large.bin")
      writeFileSync(large, "")
      truncateSync(large, 96 * 1024 * 1024)
      const here = yield* site({ variables: { FLOW_CONF: root } })
      const gateway = yield* Effect.promise(() => here.start())
      return { gateway, root, data: here.data }
    })
  )
}

const filesBelow = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
    : 0

/** Others are answered, which waits for nobody. */
const answered = async (port: number) => {
  for (const path of ["/v1/platform/tenant", "/v1/mytenant/flowline"])
    expect([path, (await rawGet(port, path)).status]).toEqual([path, 200])
}

const upload =
  "POST /v1/mytenant/flowline/save HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n"
const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.yaml"\r\n\r\n'

layer(Gateway.layer, { excludeTestServices: true })("connections", (it) => {
  it.effect("that are silent, or send a byte now and then, hold up nobody", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Gateway
      yield* Effect.promise(async () => {
        const { port } = gateway
        const sockets = await Promise.all(Array.from({ length: 90 }, () => openSocket(port)))
        const bodies = sockets.slice(30, 60)
        for (const socket of sockets.slice(0, 30)) socket.write("GET /v1/platform/tenant HT")
        for (const socket of bodies) socket.write(`${upload}Content-Length: 1000\r\n\r\n${part}`)
        const timer = setInterval(() => {
          for (const { write } of bodies) write("a")
        }, 20)
        await answered(port)
        // Nobody waited for these to come to their end.
        expect(bodies.some(({ isClosed }) => isClosed())).toBe(false)
        clearInterval(timer)
        for (const { socket } of sockets) socket.destroy()
        await answered(port)
      })
    })
  )

  it.effect("that read slowly cost no memory, and those that go away leave no file open", () =>
    Effect.gen(function* () {
      const { gateway, root } = yield* Gateway
      yield* Effect.promise(async () => {
        const { port, pid } = gateway
        // Its hash is made once, and not by each download.
        await rawGet(port, "/v1/mytenant/conf/large.bin", { Range: "bytes=0-0" })
        await answered(port)
        const [files, memory] = [openFiles(pid), residentMib(pid)]
        // The buffers between two processes hold less than half of the requested data, three quarters of a gibibyte.
        const downloads = await Promise.all(Array.from({ length: 8 }, () => openSocket(port)))
        for (const { socket, write } of downloads) {
          socket.once("data", () => socket.pause())
          write("GET /v1/mytenant/conf/large.bin HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        await eventually("all have begun", () => downloads.every(({ socket }) => socket.isPaused()))
        expect(openBelow(pid, root).length).toBeGreaterThan(0)
        await answered(port)
        expect(residentMib(pid)).toBeLessThan(memory + 400)
        for (const { socket } of downloads) socket.destroy()
        await eventually("the files are closed", () => openBelow(pid, root).length === 0)
        await eventually("the sockets are closed", () => openFiles(pid) <= files + 8)
      })
    })
  )

  it.effect("that break off an upload leave nothing behind", () =>
    Effect.gen(function* () {
      const { gateway, data } = yield* Gateway
      yield* Effect.promise(async () => {
        const { port, pid } = gateway
        const tenant = tenantOf(gateway.url)
        const [files, kept] = [openFiles(pid), filesBelow(join(data, "tmp")) + filesBelow(join(data, "blobs"))]
        const body = `${part}${generator(1, 1)}\r\n--x--\r\n`
        for (let n = 0; n < 10; n++) {
          const socket = await openSocket(port)
          socket.write(
            `${upload}Content-Length: ${body.length}\r\n\r\n${body.slice(0, Math.floor((body.length * n) / 10))}`
          )
          if (n % 2 === 0) socket.socket.resetAndDestroy()
          else socket.socket.destroy()
        }
        await eventually("the sockets are closed", () => openFiles(pid) <= files + 8)
        expect(await tenant.get("flowline")).toEqual([])
        const left = () => filesBelow(join(data, "tmp")) + filesBelow(join(data, "blobs"))
        await eventually("their files are gone", () => left() === kept)
        // An answer that the client does not wait for changes nothing: the next one on the port is fine.
        await answered(port)
      })
    })
  )
})

const listening = (server: Server) =>
  new Promise<number>((done) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      done(typeof address === "object" && address !== null ? address.port : 0)
    })
  )

describe("a server", () => {
  it.live("that closes waits for answers under way, whatever their requests expect, and for nothing else", () =>
    Effect.promise(async () => {
      const paths: Array<string> = []
      const server = nodeServer(({ url }) => paths.push(url))
      const answers: Array<ServerResponse> = []
      server.on("request", (_, response) => answers.push(response))
      server.on("checkContinue", (_, response) => answers.push(response))
      const port = await listening(server)
      const [plain, expecting, idle] = await Promise.all([1, 2, 3].map(() => openSocket(port)))
      plain!.write("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n")
      expecting!.write("POST /expecting HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
      await eventually("both have come", () => answers.length === 2)
      const closed = new Promise((done) => server.close(done))
      await idle!.closed
      expect([plain!.isClosed(), expecting!.isClosed()]).toEqual([false, false])
      for (const answer of answers) answer.end("ok")
      await Promise.all([plain!.closed, expecting!.closed, closed])
      for (const { received } of [plain!, expecting!]) expect(parseAnswer(received()).body.toString()).toBe("ok")
      expect(paths.toSorted()).toEqual(["/expecting", "/plain"])
    })
  )

  it.live("sends a text with its head in one piece, and still refuses a body that is not as long as declared", () =>
    Effect.promise(async () => {
      const server = nodeServer(() => {})
      const errors: Array<unknown> = []
      let writes: unknown
      server.on("request", (request, response) => {
        writes = vi.spyOn(request.socket, "write")
        response.strictContentLength = true
        response.writeHead(200, { "content-length": "2" })
        if (request.url === "/text") return void response.end("ok")
        try {
          response.end(Buffer.from("too long"))
        } catch (error) {
          errors.push(error)
          response.destroy()
        }
      })
      const port = await listening(server)
      const text = await openSocket(port)
      text.write("GET /text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      await text.closed
      expect(parseAnswer(text.received()).body.toString()).toBe("ok")
      expect(writes).toHaveBeenCalledTimes(1)
      const bytes = await openSocket(port)
      bytes.write("GET /bytes HTTP/1.1\r\nHost: a\r\n\r\n")
      await bytes.closed
      expect(errors).toMatchObject([{ code: "ERR_HTTP_CONTENT_LENGTH_MISMATCH" }])
      await new Promise((done) => server.close(done))
    })
  )

  it.live("gives a head that does not come to its end 408, and closes what stays silent", () =>
    Effect.gen(function* () {
      const exchanges: Array<{ readonly status: number; readonly traceId: string | undefined }> = []
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          nodeServer((it) => exchanges.push(it), { headers: 300, keepAlive: 300, silence: 600, uploadRate: 1024 })
        ),
        (server) => Effect.sync(() => server.close())
      )
      yield* Effect.promise(async () => {
        server.on("request", (_, response) => response.end("ok"))
        const port = await listening(server)
        const slow = await openSocket(port)
        slow.write("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
        const silent = await openSocket(port)
        const kept = await openSocket(port)
        kept.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await Promise.all([slow.closed, silent.closed, kept.closed])
        const answer = parseAnswer(slow.received())
        expect([answer.status, answer.headers.get("content-type")]).toEqual([408, "application/problem+json"])
        const problem = JSON.parse(answer.body.toString())
        expect(problem).toMatchObject({ type: "/problems/request-timeout", status: 408, instance: "/" })
        expect(problem.detail).toBe("The header was not complete within 0.3 seconds: retry on a new connection")
        expect(parseAnswer(kept.received()).body.toString()).toBe("ok")
        expect(exchanges).toContainEqual(expect.objectContaining({ status: 408, traceId: problem.traceId }))
      })
    })
  )

  it.live("ends a body that comes too slowly with 408, and gives one that moves any time", () =>
    Effect.gen(function* () {
      const statuses: Array<number> = []
      const silence = 1000
      const rate = 100
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          nodeServer(({ status }) => statuses.push(status), { ...timeouts, silence, uploadRate: rate })
        ),
        (server) => Effect.sync(() => server.close())
      )
      expect(server.requestTimeout).toBe(0)
      // Only the rate is looked at here, however busy the machine is.
      server.timeout = 0
      yield* Effect.promise(async () => {
        server.on("request", (request, response) => {
          let received = 0
          request.on("data", (chunk: Buffer) => {
            received += chunk.length
          })
          request.on("end", () => response.end(String(received)))
          request.on("error", () => {})
        })
        const port = await listening(server)
        const head = "POST /x?y HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n"
        const [slow, moving] = await Promise.all([openSocket(port), openSocket(port)])
        slow.write(head)
        moving.write(head)
        // A byte now and then breaks the silence.
        const trickle = setInterval(() => slow.write("x"), 100)
        let sent = 0
        const flow = setInterval(() => {
          if (sent === 900_000) return
          moving.write("x".repeat(1000))
          sent += 1000
        }, 20)
        await slow.closed
        clearInterval(trickle)
        clearInterval(flow)
        const answer = parseAnswer(slow.received())
        expect(answer.status).toBe(408)
        expect(JSON.parse(answer.body.toString())).toMatchObject({
          type: "/problems/request-timeout",
          detail: "The body came with less than 100 bytes a second for 1 seconds",
          instance: "/x"
        })
        moving.write("x".repeat(1_000_000 - sent))
        await moving.closed
        expect(parseAnswer(moving.received()).body.toString()).toBe("1000000")
        expect(statuses.sort()).toEqual([200, 408])
      })
    })
  )
})
