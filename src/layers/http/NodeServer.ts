import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Exchange } from "./AccessLog.ts"
import { generalProblem, problemType, traceIds } from "./ProblemBody.ts"

/** Milliseconds: for the head of a request, the whole of it, a connection without requests, and silence within one. */
export const timeouts = { headers: 20_000, request: 600_000, keepAlive: 65_000, silence: 120_000 }
const maxHeaderBytes = 16 * 1024

const statusOf = (error: Error & { code?: string }): number => {
  if (error.code === "HPE_HEADER_OVERFLOW") return 431
  return error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
}

/** A problem for what never reaches the router, with the id under which it is logged. */
const bareProblem = (status: number, detail: string, instance: string) => {
  const traceId = crypto.randomUUID().replaceAll("-", "")
  return { traceId, body: JSON.stringify({ ...generalProblem(status, detail), instance, traceId }) }
}

/** Writes a problem on a connection that is good for nothing else. */
const refuse = (socket: Duplex, status: number, detail: string): string => {
  const { traceId, body } = bareProblem(status, detail, "/")
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${problemType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
  return traceId
}

const remoteOf = (socket: Duplex): string => (socket instanceof Socket ? (socket.remoteAddress ?? "") : "")

/**
 * Makes `close` wait for answers alone. Node waits for every connection that is not between two requests: for one that
 * has never sent any, for half a head, and for one whose answer ended after the call, until its time is out.
 */
const closeWithLastAnswer = (server: Server): void => {
  const answers = new Map<Socket, number>()
  let closing = false
  server.on("connection", (socket: Socket) => {
    if (closing) return void socket.destroy()
    answers.set(socket, 0)
    socket.once("close", () => answers.delete(socket))
  })
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const add = (one: 1 | -1) => {
      const left = (answers.get(socket) ?? 0) + one
      if (answers.has(socket)) answers.set(socket, left)
      return left
    }
    add(1)
    response.once("close", () => {
      if (add(-1) <= 0 && closing) socket.end()
    })
  })
  const close = server.close.bind(server)
  server.close = (done) => {
    closing = true
    close(done)
    for (const [socket, left] of answers) if (left === 0) socket.destroy()
    return server
  }
}

/** The HTTP server with its limits. `finished` is told of every exchange once it is over, whichever way. */
export const nodeServer = (
  finished: (exchange: Exchange) => void,
  { headers, request, keepAlive, silence }: typeof timeouts = timeouts
): Server => {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headers,
    connectionsCheckingInterval: Math.min(5000, headers / 4),
    keepAliveTimeout: keepAlive,
    requestTimeout: request,
    requireHostHeader: false,
    noDelay: true
  })
  closeWithLastAnswer(server)
  server.timeout = silence
  server.maxHeadersCount = 100
  const broken = (socket: Duplex, status: number, detail: string) => {
    const remote = remoteOf(socket)
    const traceId = refuse(socket, status, detail)
    finished({ method: "", url: "", status, milliseconds: 0, remote, traceId, aborted: false, began: true })
  }
  server.on("clientError", (error: Error & { code?: string }, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy()
    else broken(socket, statusOf(error), "The request is not well-formed HTTP")
  })
  server.on("connect", (_, socket) => broken(socket, 400, "This server is no proxy"))
  const watch = (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now()
    const remote = request.socket.remoteAddress ?? ""
    response.once("close", () =>
      finished({
        method: request.method ?? "",
        url: request.url ?? "",
        status: response.statusCode,
        milliseconds: performance.now() - startedAt,
        remote,
        traceId: traceIds.get(request),
        aborted: !response.writableFinished,
        began: response.headersSent
      })
    )
  }
  server.on("request", watch)
  server.on("checkExpectation", (request, response) => {
    watch(request, response)
    const instance = (request.url ?? "/").split("?", 1)[0]!
    const { traceId, body } = bareProblem(417, "The only expectation that is met is 100-continue", instance)
    traceIds.set(request, traceId)
    response.writeHead(417, { "content-type": problemType }).end(body)
  })
  return server
}
