import { createSocket } from "node:dgram"
import { createServer as createHttp, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { createServer, type Server, type Socket } from "node:net"
import { pipeline } from "node:stream"
import { createGunzip } from "node:zlib"
import { codeOf, Failure } from "../drivers/Failure.ts"
import type { Outbound } from "../drivers/Outbound.ts"
import { ownPortFault } from "../nodes/inputs/Ports.ts"
import {
  type Address,
  type HttpReply,
  type IncomingRequest,
  type Network,
  type OutgoingRequest,
  TooLargeBody
} from "../nodes/ports/Network.ts"
import { charsetOf } from "../nodes/settings/HttpSettings.ts"

const where = ({ host, port }: Address) => `${host}:${port}`

const listenFailure = (error: unknown, at: Address): unknown => {
  const code = codeOf(error)
  if (code === "EADDRINUSE") return new Failure(`The port ${where(at)} is in use`)
  if (code === "EACCES" || code === "EPERM")
    return new Failure(`The gateway has no permission to use the port ${where(at)}`)
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new Failure(`There is no address ${at.host} on this machine`)
  }
  return error
}

const listening = (server: Server, at: Address, destroy: () => void) =>
  new Promise<{ readonly port: number; readonly close: () => Promise<void> }>((resolve, reject) => {
    server.once("error", (error) => reject(listenFailure(error, at)))
    server.listen(at.port, at.host, () => {
      server.on("error", () => {})
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : at.port
      const close = () =>
        new Promise<void>((done) => {
          server.close(() => done())
          destroy()
        })
      resolve({ port, close })
    })
  })

const tcp: Network["tcp"] = (at, serve) => {
  const open = new Set<Socket>()
  const server = createServer({ pauseOnConnect: false }, (socket) => {
    open.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => open.delete(socket))
    const quietly = () => {}
    void serve(socket)
      .catch(quietly)
      .finally(() => socket.destroy())
  })
  server.maxConnections = at.maxConnections
  return listening(server, at, () => {
    for (const socket of open) socket.destroy()
  })
}

const udp: Network["udp"] = (at, receive) =>
  new Promise((resolve, reject) => {
    const socket = createSocket({ type: at.host.includes(":") ? "udp6" : "udp4", recvBufferSize: 4 * 1024 * 1024 })
    socket.once("error", (error) => reject(listenFailure(error, at)))
    socket.on("message", (datagram, { address, port }) => receive(datagram, `${address} ${port}`))
    socket.bind(at.port, at.host, () => {
      socket.on("error", () => {})
      const close = () => new Promise<void>((done) => socket.close(() => done()))
      resolve({ port: socket.address().port, close })
    })
  })

/** Whether the answer has no body: some servers still name a coding, and an empty body cannot be decompressed. */
const isEmpty = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode === 204 || statusCode === 304 || headers["content-length"] === "0"

/** The body's bytes. Throws when there are more than `limit`, counted after decompression. */
async function* bodyOf(request: IncomingMessage, limit: number): AsyncGenerator<Uint8Array> {
  // RFC 9110, 8.4.1.3: both names mean the same coding.
  const isGzip = /^(?:x-)?gzip$/i.test(request.headers["content-encoding"] ?? "") && !isEmpty(request)
  const source = isGzip ? pipeline(request, createGunzip(), () => {}) : request
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > limit) throw new TooLargeBody(`the body is larger than ${limit} bytes`)
    yield chunk
  }
}

const http = (
  at: Address & { readonly maxBodyBytes: number },
  serve: (
    request: IncomingRequest
  ) => Promise<{ status: number; headers?: Readonly<Record<string, string>>; body?: unknown }>
) => {
  const server = createHttp({ requestTimeout: 60_000, headersTimeout: 10_000 }, (request, response) => {
    request.on("error", () => {})
    response.on("error", () => {})
    const [path = "/"] = (request.url ?? "/").split("?", 1)
    const type = (request.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()
    const encoding = request.headers["content-encoding"]?.toLowerCase() ?? "identity"
    const answer = /^(?:identity|(?:x-)?gzip)$/.test(encoding)
      ? serve({
          method: request.method ?? "GET",
          path,
          type,
          charset: charsetOf(request.headers["content-type"]),
          body: bodyOf(request, at.maxBodyBytes)
        })
      : Promise.resolve({
          status: 415,
          headers: {},
          body: { status: 415, detail: "The content encoding must be gzip or identity" }
        })
    void answer
      .catch(() => ({ status: 500, headers: {}, body: { detail: "The run has failed" } }))
      .then(({ status, headers, body }) => {
        const text = body === undefined ? "" : JSON.stringify(body)
        // Otherwise the unread rest of the request would be parsed as the next one.
        const rest = request.readableEnded ? {} : { connection: "close" }
        const kind = text === "" ? {} : { "content-type": "application/json" }
        response.writeHead(status, { ...kind, "content-length": Buffer.byteLength(text), ...rest, ...headers })
        response.end(text)
      })
  })
  server.maxConnections = 1000
  return listening(server, at, () => server.closeAllConnections())
}

/**
 * The delay in milliseconds that a `Retry-After` header asks for, in seconds or as an HTTP date. A delay of zero is
 * ignored, and the sender's pauses apply, so that it does not flood the server.
 */
const retryAfter = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined
  const millis = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(millis) && millis > 0 ? millis : undefined
}

/** Milliseconds for which a connection is kept for the next request, unless the server says that it closes it earlier. */
const idleMillis = 4000
/** Bytes of an answer's body that are read so that its connection can be used again. */
const answerBytes = 64 * 1024

const agents = {
  "http:": new HttpAgent({ keepAlive: true, timeout: idleMillis }),
  "https:": new HttpsAgent({ keepAlive: true, timeout: idleMillis })
}

const discard = (response: IncomingMessage): void => {
  let size = 0
  response.on("error", () => {})
  response.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size > answerBytes) response.destroy()
  })
}

type Request = Omit<OutgoingRequest, "body"> & { readonly method: string; readonly body?: string }

/** Sends a request to an address that `outbound` allows; the response has its head. */
const send = (outbound: Outbound, { method, url: text, headers, body, timeoutMillis, signal }: Request) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const url = new URL(text)
    const isTls = url.protocol === "https:"
    const request = (isTls ? httpsRequest : httpRequest)({
      ...outbound.connection(url),
      agent: agents[isTls ? "https:" : "http:"],
      method,
      path: url.pathname + url.search,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)])
    })
    request.once("response", resolve)
    request.on("error", reject)
    request.on("close", () => reject(new Error("the connection was closed")))
    request.end(body)
  })

const replyOf = ({ statusCode, headers }: IncomingMessage): HttpReply => {
  const retryAfterMillis = retryAfter(headers["retry-after"])
  return { status: statusCode ?? 0, ...(retryAfterMillis === undefined ? {} : { retryAfterMillis }) }
}

const poster =
  (outbound: Outbound): Network["post"] =>
  async (request) => {
    const response = await send(outbound, { ...request, method: "POST" })
    discard(response)
    return replyOf(response)
  }

const getter =
  (outbound: Outbound): Network["get"] =>
  async ({ maxBytes, ...request }) => {
    const headers = { "accept-encoding": "gzip", ...request.headers }
    const response = await send(outbound, { ...request, headers, method: "GET" })
    const chunks: Array<Uint8Array> = []
    try {
      for await (const chunk of bodyOf(response, maxBytes)) chunks.push(chunk)
    } finally {
      response.destroy()
    }
    const told = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
    return { ...replyOf(response), headers: Object.fromEntries(told), body: Buffer.concat(chunks) }
  }

/** The sockets of a run that may connect to what `outbound` allows, and listen on all ports but the gateway's own. */
export const network = (outbound: Outbound, ownPorts: ReadonlyArray<number>): Network => {
  const allowed =
    <A extends Address, B, C>(listen: (at: A, receive: B) => Promise<C>) =>
    async (at: A, receive: B): Promise<C> => {
      const fault = ownPortFault(at.port, ownPorts)
      if (fault !== undefined) throw new Failure(fault)
      return listen(at, receive)
    }
  return {
    tcp: allowed(tcp),
    udp: allowed(udp),
    http: allowed(http),
    post: poster(outbound),
    get: getter(outbound)
  }
}
