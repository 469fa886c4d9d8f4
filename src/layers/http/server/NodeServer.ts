import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { generalProblem, traceIds } from "../problems/ProblemBody.ts"
import type { Exchange } from "../routes/AccessLog.ts"
import { bodyRate } from "./BodyRate.ts"
import { type Certificate, secureOptions } from "./Certificate.ts"
import type { ConnectionLimit } from "./ConnectionLimit.ts"
import { type Connection, connectionsOf } from "./Connections.ts"
import { answerProblem, maxFields, maxHeaderBytes, refusalOf, refuse, refuseConnection } from "./EarlyRefusals.ts"
import type { trustedProxies } from "./Forwarded.ts"
import { framingFault } from "./Framing.ts"
import { Answer, ReceivedRequest, SecureAnswer } from "./NodeMessages.ts"
import { offerBody } from "./ReceivedBody.ts"

/**
 * Timeouts in milliseconds: for the head of a request or the TLS handshake, for an idle connection, and for silence
 * within a request. A body has no time limit but a minimum rate in bytes per second, which is measured over `silence`.
 */
export const timeouts = { headers: 20_000, keepAlive: 65_000, silence: 120_000, uploadRate: 1024 }
/** Maximum number of requests that wait on a connection for the answers to those before them. */
const maxWaiting = 100
/** The event of a request whose end is ambiguous. */
const ambiguous = Symbol("ambiguous")

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

type NodeServer = Server<typeof ReceivedRequest, typeof Answer>

/** A server with the limits that Node itself keeps. */
const limitedServer = (
  { headers, keepAlive, silence }: typeof timeouts,
  certificate: Certificate | undefined
): NodeServer => {
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
  const server: NodeServer =
    certificate === undefined
      ? createServer(options)
      : createSecureServer({ ...options, ...secureOptions(certificate), handshakeTimeout: headers })
  server.timeout = silence
  server.maxHeadersCount = maxFields
  return server
}

/**
 * The HTTP server with its limits. `finished` is called once for every exchange that has begun, however it ends, and for
 * what is refused because it is not HTTP or comes beyond `maxWaiting`. It is not called for requests that still wait behind
 * others when the client goes or the server closes, nor for those that come after such a refusal: nobody answers them.
 */
export const nodeServer = (
  finished: (exchange: Exchange) => void,
  given: Partial<typeof timeouts> & ServerOptions = {}
): NodeServer => {
  const times = { ...timeouts, ...given }
  const { silence, uploadRate } = times
  const { granted, certificate, proxies, limit, fixed } = given
  const server = limitedServer(times, certificate)
  const broken = (socket: Duplex, problem: ReturnType<typeof generalProblem>) => {
    const remote = socket instanceof Socket ? (socket.remoteAddress ?? "") : ""
    const ids = refuse(socket, problem)
    const { status } = problem
    finished({ method: "", url: "", status, milliseconds: 0, remote, ...ids, aborted: false, began: true })
  }
  const refuseMore = (socket: Duplex) => {
    const detail = `The limit waitingRequests of a connection is ${maxWaiting}: read answers before you send more`
    const counted = { limit: "waitingRequests", value: maxWaiting, used: maxWaiting + 1, key: "connection" }
    broken(socket, { ...generalProblem(429, detail), ...counted })
  }
  const answers = connectionsOf(server, (address) => proxies?.isTrusted(address) ?? false, {
    begin: (event, response, connection) => begin(event, response, connection),
    most: maxWaiting,
    refuseMore
  })
  /** Connections with a request whose end is ambiguous: nothing after it is read as another request. */
  const unsure = new WeakSet<Duplex>()
  server.on("clientError", (error: Error & { code?: string }, socket: Duplex) => {
    // This is the body of a refused request; the connection closes with that answer.
    if (unsure.has(socket)) return
    // Failed handshakes are reported here, too; such a client cannot be sent anything.
    if (error.code === "ECONNRESET") socket.destroy()
    else answers.breakOff(socket, () => broken(socket, generalProblem(...refusalOf(error, times.headers))))
  })
  server.on("connect", (_, socket) =>
    answers.breakAway(socket, () => broken(socket, generalProblem(400, "This server is not a proxy")))
  )
  const bodies = bodyRate(server, { span: silence, rate: uploadRate })
  const answer = (request: ReceivedRequest, response: ServerResponse, status: number, detail: string, more = {}) =>
    answerProblem(request, response, status, detail, { ...granted?.(request.headers), ...more })
  const refuseSlow = (request: ReceivedRequest, response: ServerResponse) => {
    const detail = `The body came with less than ${uploadRate} bytes a second for ${silence / 1000} seconds`
    if (!response.headersSent) answer(request, response, 408, detail, { connection: "close" })
    request.socket.destroySoon()
  }
  const watch = (request: ReceivedRequest, response: Answer, connection: Connection) => {
    const startedAt = performance.now()
    const { remote } = connection
    if (connection.isTrusted) request.forwarded = proxies?.read(remote, request.headers)
    response.on("close", () => {
      bodies.end(request)
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
      answers.end(connection, response)
    })
  }
  // Overrides `emit` because a request with a fixed answer must not reach the listeners, and others wait for their turn.
  const emit = server.emit.bind(server)
  const begin = (event: string | symbol, response: Answer, connection: Connection) => {
    const { req: request } = response
    watch(request, response, connection)
    if (event === ambiguous) {
      const fault = framingFault(request)
      if (fault !== undefined) answer(request, response, fault.status, fault.detail, { connection: "close" })
      return
    }
    if (event === "request" && fixed?.(request, response) === true) return
    bodies.begin(request, () => refuseSlow(request, response))
    offerBody(request)
    emit(event, request, response)
  }
  server.emit = (event: string | symbol, ...args: ReadonlyArray<unknown>) => {
    const [request, response] = args
    if (!(request instanceof ReceivedRequest && response instanceof Answer)) return emit(event, ...args)
    const { socket } = request
    if (unsure.has(socket)) return true
    const isAmbiguous = framingFault(request) !== undefined
    if (isAmbiguous) unsure.add(socket)
    answers.arrive(isAmbiguous ? ambiguous : event, response)
    return true
  }
  server.on("checkExpectation", (request, response) => {
    answer(request, response, 417, "The only supported expectation is 100-continue")
  })
  limit?.guard(server, certificate === undefined ? refuseConnection : (socket) => void socket.destroy())
  return server
}
