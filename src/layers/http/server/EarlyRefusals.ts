import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { generalProblem, problemType, traceIds } from "../problems/ProblemBody.ts"
import { pathOf } from "../routes/Paths.ts"
import { commonHeaders, type ReceivedRequest } from "./NodeMessages.ts"
import { newRequestId } from "./RequestIds.ts"

// Answers to what never reaches the router: requests that are not HTTP, and connections beyond a limit.

/** Maximum number of bytes of the head of a request. */
export const maxHeaderBytes = 16 * 1024
/** Maximum number of its header fields. */
export const maxFields = 100

/** The status and detail for a request that Node's parser gave up. `patience`: milliseconds for its head. */
export const refusalOf = ({ code }: { readonly code?: string }, patience: number): readonly [number, string] => {
  if (code === "HPE_HEADER_OVERFLOW") {
    const most = `${maxHeaderBytes / 1024} KiB or ${maxFields} fields`
    return [431, `The request line and header exceed ${most}: shorten the URL, or omit cookies and other fields`]
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

/** Milliseconds that a client has to read why its connection was refused. */
const refusedPatience = 1000

/**
 * Writes a problem to a connection that is closed afterwards. What the client sends is read and discarded: with unread data
 * the kernel would reset the connection, and the client would lose the refusal. Node has taken its own listeners from a
 * connection with CONNECT, so that nothing else would notice an error, or a client that does not go.
 */
export const refuse = (socket: Duplex, problem: ReturnType<typeof generalProblem>) => {
  const { status } = problem
  const requestId = newRequestId()
  const { traceId, body } = bareProblem(problem, "/", requestId)
  const fields = [
    ...[...commonHeaders(requestId), "content-type", problemType],
    ...["content-length", Buffer.byteLength(body), "connection", "close"]
  ]
  const head = fields.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("")
  socket.on("error", () => {})
  socket.resume()
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`, () => {
    setTimeout(() => socket.destroy(), refusedPatience).unref()
  })
  return { traceId, requestId }
}

/** Refuses a connection of an address that has too many. */
export const refuseConnection = (socket: Socket, network: string, limit: number): void => {
  refuse(socket, {
    ...generalProblem(429, `The limit addressConnections of address:${network} is ${limit}: close other connections`),
    ...{ limit: "addressConnections", value: limit, used: limit + 1, key: `address:${network}` }
  })
}

/** Answers a request with a problem, in place of the router. */
export const answerProblem = (
  request: ReceivedRequest,
  response: ServerResponse,
  status: number,
  detail: string,
  headers: OutgoingHttpHeaders
): void => {
  const { traceId, body } = bareProblem(generalProblem(status, detail), pathOf(request.url), request.requestId)
  traceIds.set(request, traceId)
  response.writeHead(status, { ...headers, "content-type": problemType }).end(body)
}
