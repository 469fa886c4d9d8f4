import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Exchange } from "./AccessLog.ts"
import { bodyRate } from "./BodyRate.ts"
import { generalProblem, problemType, traceIds } from "./ProblemBody.ts"

/**
 * Timeouts in milliseconds: for the head of a request, for a connection between requests, and for silence within a
 * request. A body has no time limit, but a rate: the bytes a second that it must bring over a time of `silence`.
 */
export const timeouts = { headers: 20_000, keepAlive: 65_000, silence: 120_000, uploadRate: 1024 }
const maxHeaderBytes = 16 * 1024

const statusOf = (error: Error & { code?: string }): number => {
  if (error.code === "HPE_HEADER_OVERFLOW") return 431
  return error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
}

/** The body of a problem for a request that never reaches the router, with the id that is logged. */
const bareProblem = (status: number, detail: string, instance: string) => {
  const traceId = crypto.randomUUID().replaceAll("-", "")
  return { traceId, body: JSON.stringify({ ...generalProblem(status, detail), instance, traceId }) }
}

/** Writes a problem to a connection that is closed afterwards. */
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
 * Makes `close` wait only for responses in progress. Node's own `close` waits for every connection that is not between
 * two requests: one that never sent a request, one with an incomplete head, and one whose response ended after the
 * call, until they time out.
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
 * Node sends a response in one write when it has the whole of it, but not when it must check the body against
 * Content-Length, which Effect requests for every response. For a text that ends the response the check is superfluous,
 * because the length was taken from the text. Two writes instead of one take 6 % more processor time for a small
 * request.
 */
class Answer extends ServerResponse {
  override end(...args: ReadonlyArray<unknown>): this {
    if (typeof args[0] === "string") this.strictContentLength = false
    return Reflect.apply(super.end, this, args)
  }
}

/**
 * The HTTP server with its limits. `finished` is called once for every exchange, however it ends. `granted` gives the
 * headers that the answers to a request have besides; requests that are no HTTP get none.
 */
export const nodeServer = (
  finished: (exchange: Exchange) => void,
  { headers, keepAlive, silence, uploadRate }: typeof timeouts = timeouts,
  granted: (headers: IncomingMessage["headers"]) => Readonly<Record<string, string>> = () => ({})
): Server => {
  const server: Server = createServer({
    ServerResponse: Answer,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headers,
    connectionsCheckingInterval: Math.min(5000, headers / 4),
    keepAliveTimeout: keepAlive,
    requestTimeout: 0,
    requireHostHeader: false,
    noDelay: true,
    // A request without a body needs no stream, which saves 5 % of the processor time of a small one.
    optimizeEmptyRequests: true,
    // Upgrades are not supported: such requests are answered like others (RFC 9110, section 7.8).
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
  server.on("connect", (_, socket) => broken(socket, 400, "This server is not a proxy"))
  const bodies = bodyRate(server, { span: silence, rate: uploadRate })
  const refuseSlow = (request: IncomingMessage, response: ServerResponse) => {
    if (!response.headersSent) {
      const instance = (request.url ?? "/").split("?", 1)[0]!
      const detail = `The body came with less than ${uploadRate} bytes a second for ${silence / 1000} seconds`
      const { traceId, body } = bareProblem(408, detail, instance)
      traceIds.set(request, traceId)
      const fields = { ...granted(request.headers), "content-type": problemType, connection: "close" }
      response.writeHead(408, fields).end(body)
    }
    request.socket.destroySoon()
  }
  const watch = (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now()
    const connection = answers.begin(request.socket)
    const remote = request.socket.remoteAddress ?? ""
    bodies.begin(request, () => refuseSlow(request, response))
    response.on("close", () => {
      bodies.end(request)
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
    const { traceId, body } = bareProblem(417, "The only supported expectation is 100-continue", instance)
    traceIds.set(request, traceId)
    response.writeHead(417, { ...granted(request.headers), "content-type": problemType }).end(body)
  })
  return server
}
