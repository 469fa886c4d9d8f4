import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { generalProblem, problemType, traceIds } from "../problems/ProblemBody.ts"
import type { Exchange } from "../routes/AccessLog.ts"
import { pathOf } from "../routes/Paths.ts"
import { bodyRate } from "./BodyRate.ts"
import type { Certificate } from "./Certificate.ts"
import { secureOptions } from "./Certificate.ts"
import type { ConnectionLimit } from "./ConnectionLimit.ts"
import { closeWithLastAnswer } from "./Connections.ts"
import type { trustedProxies } from "./Forwarded.ts"
import { framingFault } from "./Framing.ts"
import { Answer, commonHeaders, ReceivedRequest, SecureAnswer } from "./NodeMessages.ts"
import { offerBody } from "./ReceivedBody.ts"
import { newRequestId } from "./RequestIds.ts"

/**
 * Timeouts in milliseconds: for the head of a request or the TLS handshake, for an idle connection, and for silence
 * within a request. A body has no time limit but a minimum rate in bytes per second, which is measured over `silence`.
 */
export const timeouts = { headers: 20_000, keepAlive: 65_000, silence: 120_000, uploadRate: 1024 }
const maxHeaderBytes = 16 * 1024

/** Options of a server besides its timeouts. */
export interface ServerOptions {
  /** Additional headers of the answers to a request with these headers. Not called for requests that are not HTTP. */
  readonly granted?: (headers: IncomingMessage["headers"]) => Readonly<Record<string, string>>
  /** With a certificate the server speaks TLS only. */
  readonly certificate?: Certificate
  readonly proxies?: ReturnType<typeof trustedProxies>
  readonly limit?: ConnectionLimit
  /** Answers a request immediately if it can, and returns whether it did: see `FixedAnswers.ts`. */
  readonly fixed?: (request: ReceivedRequest, response: Answer) => boolean
}

/** The status and detail for a request that Node's parser gave up. `patience`: milliseconds for its head. */
const refusalOf = ({ code }: { readonly code?: string }, patience: number): readonly [number, string] => {
  if (code === "HPE_HEADER_OVERFLOW") {
    const size = `${maxHeaderBytes / 1024} KiB`
    return [431, `The request line and header fields exceed ${size}: shorten the URL, or omit cookies and other fields`]
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return [408, `The header was not complete within ${patience / 1000} seconds: retry on a new connection`]
  }
  return [400, "The request is not well-formed HTTP"]
}

/** The body of a problem for a request that never reaches the router, with the id that is logged. */
const bareProblem = (problem: ReturnType<typeof generalProblem>, instance: string, requestId: string) => {
  const traceId = crypto.randomUUID().replaceAll("-", "")
  return { traceId, body: JSON.stringify({ ...problem, instance, traceId, requestId }) }
}

/** Writes a problem to a connection that is closed afterwards. */
const refuse = (socket: Duplex, problem: ReturnType<typeof generalProblem>) => {
  const { status } = problem
  const requestId = newRequestId()
  const { traceId, body } = bareProblem(problem, "/", requestId)
  const fields = [
    ...[...commonHeaders(requestId), "content-type", problemType],
    ...["content-length", Buffer.byteLength(body), "connection", "close"]
  ]
  const head = fields.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("")
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
  return { traceId, requestId }
}

const remoteOf = (socket: Duplex): string => (socket instanceof Socket ? (socket.remoteAddress ?? "") : "")

/** Milliseconds that a client has to read why its connection was refused. */
const refusedPatience = 1000

/**
 * Refuses a connection of an address that has too many. Its data is read and discarded, because with unread data the
 * kernel would reset the connection and the client would lose the refusal.
 */
const refuseConnection = (socket: Socket, network: string, limit: number): void => {
  const problem = {
    ...generalProblem(429, `The limit addressConnections of address:${network} is ${limit}: close other connections`),
    ...{ limit: "addressConnections", value: limit, used: limit + 1, key: `address:${network}` }
  }
  socket.on("error", () => {})
  socket.resume()
  refuse(socket, problem)
  setTimeout(() => socket.destroy(), refusedPatience).unref()
}

/**
 * The HTTP server with its limits. `finished` is called once for every exchange, however it ends.
 */
export const nodeServer = (
  finished: (exchange: Exchange) => void,
  given: Partial<typeof timeouts> & ServerOptions = {}
): Server<typeof ReceivedRequest, typeof Answer> => {
  const { headers, keepAlive, silence, uploadRate, granted, certificate, proxies, limit, fixed } = {
    ...timeouts,
    ...given
  }
  const options = {
    IncomingMessage: ReceivedRequest,
    ServerResponse: certificate === undefined ? Answer : SecureAnswer,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headers,
    connectionsCheckingInterval: Math.min(5000, headers / 4),
    keepAliveTimeout: keepAlive,
    requestTimeout: 0,
    // Whatever NODE_OPTIONS says: a lenient parser and a proxy may disagree about a request.
    insecureHTTPParser: false,
    requireHostHeader: false,
    noDelay: true,
    // A request without a body needs no stream, which saves 5 % of the processor time of a small one.
    optimizeEmptyRequests: true,
    // Upgrades are not supported: such requests are answered like others (RFC 9110, section 7.8).
    shouldUpgradeCallback: () => false
  }
  const server: Server<typeof ReceivedRequest, typeof Answer> =
    certificate === undefined
      ? createServer(options)
      : createSecureServer({ ...options, ...secureOptions(certificate), handshakeTimeout: headers })
  const answers = closeWithLastAnswer(server, (address) => proxies?.isTrusted(address) ?? false)
  server.timeout = silence
  server.maxHeadersCount = 100
  const broken = (socket: Duplex, status: number, detail: string) => {
    const remote = remoteOf(socket)
    const ids = refuse(socket, generalProblem(status, detail))
    finished({ method: "", url: "", status, milliseconds: 0, remote, ...ids, aborted: false, began: true })
  }
  /** Connections with a request whose end is ambiguous: nothing after it is read as another request. */
  const unsure = new WeakSet<Duplex>()
  server.on("clientError", (error: Error & { code?: string }, socket: Duplex) => {
    // This is the body of a refused request; the connection closes with that answer.
    if (unsure.has(socket)) return
    // Failed handshakes are reported here, too; such a client cannot be sent anything.
    if (error.code === "ECONNRESET" || !socket.writable || !answers.has(socket)) socket.destroy()
    else broken(socket, ...refusalOf(error, headers))
  })
  server.on("connect", (_, socket) => broken(socket, 400, "This server is not a proxy"))
  const bodies = bodyRate(server, { span: silence, rate: uploadRate })
  const answerBare = (
    request: ReceivedRequest,
    response: ServerResponse,
    status: number,
    detail: string,
    more: object
  ) => {
    const { traceId, body } = bareProblem(generalProblem(status, detail), pathOf(request.url), request.requestId)
    traceIds.set(request, traceId)
    response.writeHead(status, { ...granted?.(request.headers), "content-type": problemType, ...more }).end(body)
  }
  const refuseSlow = (request: ReceivedRequest, response: ServerResponse) => {
    const detail = `The body came with less than ${uploadRate} bytes a second for ${silence / 1000} seconds`
    if (!response.headersSent) answerBare(request, response, 408, detail, { connection: "close" })
    request.socket.destroySoon()
  }
  const begin = (request: ReceivedRequest, response: ServerResponse) => {
    const startedAt = performance.now()
    const connection = answers.begin(request.socket)
    const { remote } = connection
    if (connection.isTrusted) request.forwarded = proxies?.read(remote, request.headers)
    response.on("close", () => {
      bodies.end(request)
      answers.end(connection)
      finished({
        method: request.method ?? "",
        url: request.url ?? "",
        status: response.statusCode,
        milliseconds: performance.now() - startedAt,
        remote: request.forwarded?.client ?? remote,
        requestId: request.requestId,
        traceId: traceIds.get(request),
        aborted: !response.writableFinished,
        began: response.headersSent
      })
    })
  }
  const watchBody = (request: ReceivedRequest, response: ServerResponse) => {
    bodies.begin(request, () => refuseSlow(request, response))
    offerBody(request)
  }
  const watch = (request: ReceivedRequest, response: ServerResponse) => {
    begin(request, response)
    watchBody(request, response)
  }
  const refuseFraming = (request: ReceivedRequest, response: Answer): boolean => {
    if (unsure.has(request.socket)) return true
    const fault = framingFault(request)
    if (fault === undefined) return false
    unsure.add(request.socket)
    begin(request, response)
    answerBare(request, response, fault.status, fault.detail, { connection: "close" })
    return true
  }
  // Overrides `emit` because a request with a fixed answer must not reach the listeners.
  const emit = server.emit.bind(server)
  server.emit = (event: string | symbol, ...args: ReadonlyArray<unknown>) => {
    const [request, response] = args
    if (request instanceof ReceivedRequest && response instanceof Answer) {
      if (refuseFraming(request, response)) return true
      if (event === "request") {
        begin(request, response)
        if (fixed?.(request, response) === true) return true
        watchBody(request, response)
      }
    }
    return emit(event, ...args)
  }
  server.on("checkContinue", watch)
  server.on("checkExpectation", (request, response) => {
    watch(request, response)
    answerBare(request, response, 417, "The only supported expectation is 100-continue", {})
  })
  limit?.guard(server, certificate === undefined ? refuseConnection : (socket) => void socket.destroy())
  return server
}
