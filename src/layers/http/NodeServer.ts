import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http"
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
 * Makes `close` wait for answers alone, of which it has to be told. Node waits for every connection that is not between
 * two requests: for one that has never sent any, for half a head, and for one whose answer ended after the call, until
 * its time is out.
 */
const closeWithLastAnswer = (server: Server) => {
  const connections = new Map<Socket, { readonly socket: Socket; answers: number }>()
  let closing = false
  server.on("connection", (socket: Socket) => {
    if (closing) return void socket.destroy()
    connections.set(socket, { socket, answers: 0 })
    socket.once("close", () => connections.delete(socket))
  })
  const close = server.close.bind(server)
  server.close = (done) => {
    closing = true
    close(done)
    for (const { socket, answers } of connections.values()) if (answers === 0) socket.destroy()
    return server
  }
  return {
    begin: (socket: Socket) => {
      const connection = connections.get(socket) ?? { socket, answers: 0 }
      connection.answers += 1
      return connection
    },
    end: (connection: { readonly socket: Socket; answers: number }) => {
      connection.answers -= 1
      if (connection.answers === 0 && closing) connection.socket.end()
    }
  }
}

/**
 * Node writes an answer in one piece when all of it is there at once, but not if it is to compare the body's length with
 * the head's, which Effect asks of every answer. A text that ends an answer is what its length was taken from. Two
 * pieces in place of one cost 6 % more processor time for a small request.
 */
class Answer extends ServerResponse {
  override end(...args: ReadonlyArray<unknown>): this {
    if (typeof args[0] === "string") this.strictContentLength = false
    return Reflect.apply(super.end, this, args)
  }
}

/** The HTTP server with its limits. `finished` is told of every exchange once it is over, whichever way. */
export const nodeServer = (
  finished: (exchange: Exchange) => void,
  { headers, request, keepAlive, silence }: typeof timeouts = timeouts
): Server => {
  const server: Server = createServer({
    ServerResponse: Answer,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headers,
    connectionsCheckingInterval: Math.min(5000, headers / 4),
    keepAliveTimeout: keepAlive,
    requestTimeout: request,
    requireHostHeader: false,
    noDelay: true,
    // A request without a body needs no stream that ends: 5 % of a small one's processor time.
    optimizeEmptyRequests: true,
    // No protocol is changed to: such requests are answered like others (RFC 9110, 7.8).
    shouldUpgradeCallback: () => false
  })
  const answers = closeWithLastAnswer(server)
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
    const connection = answers.begin(request.socket)
    const remote = request.socket.remoteAddress ?? ""
    response.on("close", () => {
      answers.end(connection)
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
    })
  }
  server.on("request", watch)
  server.on("checkContinue", watch)
  server.on("checkExpectation", (request, response) => {
    watch(request, response)
    const instance = (request.url ?? "/").split("?", 1)[0]!
    const { traceId, body } = bareProblem(417, "The only expectation that is met is 100-continue", instance)
    traceIds.set(request, traceId)
    response.writeHead(417, { "content-type": problemType }).end(body)
  })
  return server
}
