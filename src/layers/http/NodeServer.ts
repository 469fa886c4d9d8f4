import { createServer, type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { Exchange } from "./AccessLog.ts"
import { generalProblem, problemType } from "./ProblemBody.ts"

/** Milliseconds. A body may take long: what is bounded is the head, and silence on the socket. */
export const timeouts = { headers: 20_000, keepAlive: 65_000, silence: 120_000 }
const maxHeaderBytes = 16 * 1024

const statusOf = (error: Error & { code?: string }): number => {
  if (error.code === "HPE_HEADER_OVERFLOW") return 431
  return error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
}

/** Answers a request that is not HTTP enough to reach the router, as a problem like every other. */
const refuse = (error: Error & { code?: string }, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const status = statusOf(error)
  const body = JSON.stringify({
    ...generalProblem(status, "The request is not well-formed HTTP"),
    traceId: crypto.randomUUID().replaceAll("-", "")
  })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${problemType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}

/** The HTTP server with its limits. `finished` is told of every exchange once it is over, whichever way. */
export const nodeServer = (finished: (exchange: Exchange) => void): Server => {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeouts.headers,
    keepAliveTimeout: timeouts.keepAlive,
    requestTimeout: 0,
    noDelay: true
  })
  server.timeout = timeouts.silence
  server.maxHeadersCount = 100
  server.on("clientError", refuse)
  server.on("request", (request, response) => {
    const startedAt = performance.now()
    response.once("close", () =>
      finished({
        request,
        response,
        milliseconds: performance.now() - startedAt,
        aborted: !response.writableFinished
      })
    )
  })
  return server
}
