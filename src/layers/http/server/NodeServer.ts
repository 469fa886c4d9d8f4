import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { generalProblem, traceIds } from "../problems/ProblemBody.ts"
import type { Exchange } from "../routes/AccessLog.ts"
import { bodyRate } from "./BodyRate.ts"
import { type Certificate, secureOptions } from "./Certificate.ts"
import type { ConnectionLimit } from "./ConnectionLimit.ts"
import { closeWithLastAnswer } from "./Connections.ts"
import type { trustedProxies } from "./Forwarded.ts"
import { framingFault } from "./Framing.ts"
import { Answer, ReceivedRequest, SecureAnswer } from "./NodeMessages.ts"
import { offerBody } from "./ReceivedBody.ts"
import { answerProblem, maxFields, maxHeaderBytes, refusalOf, refuse, refuseConnection } from "./Refusals.ts"

/**
 * Timeouts in milliseconds: for the head of a request or the TLS handshake, for an idle connection, and for silence
 * within a request. A body has no time limit but a minimum rate in bytes per second, which is measured over `silence`.
 */
export const timeouts = { headers: 20_000, keepAlive: 65_000, silence: 120_000, uploadRate: 1024 }

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
 * The HTTP server with its limits. `finished` is called once for every exchange, however it ends.
 */
export const nodeServer = (
  finished: (exchange: Exchange) => void,
  given: Partial<typeof timeouts> & ServerOptions = {}
): NodeServer => {
  const times = { ...timeouts, ...given }
  const { silence, uploadRate } = times
  const { granted, certificate, proxies, limit, fixed } = given
  const server = limitedServer(times, certificate)
  const answers = closeWithLastAnswer(server, (address) => proxies?.isTrusted(address) ?? false)
  const broken = (socket: Duplex, status: number, detail: string) => {
    const remote = socket instanceof Socket ? (socket.remoteAddress ?? "") : ""
    const ids = refuse(socket, generalProblem(status, detail))
    finished({ method: "", url: "", status, milliseconds: 0, remote, ...ids, aborted: false, began: true })
  }
  /** Connections with a request whose end is ambiguous: nothing after it is read as another request. */
  const unsure = new WeakSet<Duplex>()
  server.on("clientError", (error: Error & { code?: string }, socket: Duplex) => {
    // This is the body of a refused request; the connection closes with that answer.
    if (unsure.has(socket)) return
    // Failed handshakes are reported here, too; such a client cannot be sent anything.
    if (error.code === "ECONNRESET") socket.destroy()
    else answers.breakOff(socket, () => broken(socket, ...refusalOf(error, times.headers)))
  })
  server.on("connect", (_, socket) =>
    answers.breakAway(socket, () => broken(socket, 400, "This server is not a proxy"))
  )
  const bodies = bodyRate(server, { span: silence, rate: uploadRate })
  const answer = (request: ReceivedRequest, response: ServerResponse, status: number, detail: string, more = {}) =>
    answerProblem(request, response, status, detail, { ...granted?.(request.headers), ...more })
  const refuseSlow = (request: ReceivedRequest, response: ServerResponse) => {
    const detail = `The body came with less than ${uploadRate} bytes a second for ${silence / 1000} seconds`
    if (!response.headersSent) answer(request, response, 408, detail, { connection: "close" })
    request.socket.destroySoon()
  }
  const begin = (request: ReceivedRequest, response: ServerResponse) => {
    const startedAt = performance.now()
    const connection = answers.begin(response)
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
    answer(request, response, fault.status, fault.detail, { connection: "close" })
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
    answer(request, response, 417, "The only supported expectation is 100-continue")
  })
  limit?.guard(server, certificate === undefined ? refuseConnection : (socket) => void socket.destroy())
  return server
}
