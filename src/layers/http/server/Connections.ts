import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Server as SecureServer } from "node:tls"
import { plainAddress } from "./Forwarded.ts"
import type { Answer } from "./NodeMessages.ts"

/** A connection on which requests can come. */
export interface Connection {
  readonly socket: Socket
  /** The peer's IP address. Kept because a closed socket no longer has it. */
  readonly remote: string
  /** Whether the peer is a trusted proxy. */
  readonly isTrusted: boolean
  /** The answer in progress. */
  current: Answer | undefined
  /** Requests that came before the answers to those before them: each is handled in its turn. */
  readonly waiting: Array<Waiting>
  /** The answer to the last request, kept after its end while the request's body is still being read. */
  latest: Answer | undefined
  /** Set once nothing more is read as a request: what to do after the answers to those that have come. */
  last: (() => void) | undefined
}

/** A request that waits for its turn. */
interface Waiting {
  readonly event: string | symbol
  readonly response: Answer
}

/** What {@link connectionsOf} does with requests. */
export interface Turns {
  /** Handles a request, whose event Node has emitted. Ends with a call of `end`. */
  readonly begin: (event: string | symbol, response: Answer, connection: Connection) => void
  /** Maximum number of requests that wait on a connection. */
  readonly most: number
  /** Refuses more of them, on a connection that has no further answer to give. */
  readonly refuseMore: (socket: Socket) => void
}

/** The event with which a server announces sockets that carry HTTP. With TLS that is after the handshake. */
export const connected = (server: object): "connection" | "secureConnection" =>
  server instanceof SecureServer ? "secureConnection" : "connection"

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** Connections whose handshake is in progress. */
const handshakesOf = (server: Server) => {
  const handshakes = new Map<string, Socket>()
  if (connected(server) === "connection") return handshakes
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket)
    handshakes.set(peer, socket)
    socket.once("close", () => {
      if (handshakes.get(peer) === socket) handshakes.delete(peer)
    })
  })
  server.on("secureConnection", (socket: Socket) => handshakes.delete(peerOf(socket)))
  return handshakes
}

const nothing = () => {}

/** Makes the connection read and discard what comes, so that it notices when the client goes. */
const ignoreInput = (socket: Socket): void => {
  // Node hands the socket back from its parser when somebody listens to the data.
  socket.on("data", nothing)
  for (const listener of socket.listeners("data")) {
    if (listener !== nothing) socket.off("data", listener as () => void)
  }
  socket.resume()
}

/**
 * Handles the requests of a connection one after the other. Node would begin all that a client sends before it reads an
 * answer, and hold their answers in memory until their turn comes; and of requests that change something the later ones
 * must see the earlier (RFC 9112, section 9.3.2).
 *
 * Makes `close` wait only for responses in progress. Node's own `close` waits for every connection that is not between
 * two requests: one that never sent a request, one with an incomplete head, and one whose response ended after the
 * call, until they time out.
 */
export const connectionsOf = (server: Server, isTrusted: (address: string) => boolean, turns: Turns) => {
  const connections = new Map<unknown, Connection>()
  const handshakes = handshakesOf(server)
  let closing = false
  const known = (socket: Socket): Connection => {
    const remote = plainAddress(socket.remoteAddress ?? "")
    const none = { current: undefined, latest: undefined, last: undefined }
    return { socket, remote, isTrusted: isTrusted(remote), waiting: [], ...none }
  }
  server.on(connected(server), (socket: Socket) => {
    if (closing) return void socket.destroy()
    connections.set(socket, known(socket))
    socket.once("close", () => connections.delete(socket))
  })
  const close = server.close.bind(server)
  server.close = (done) => {
    closing = true
    close(done)
    for (const socket of handshakes.values()) socket.destroy()
    for (const { socket, current } of connections.values()) if (current === undefined) socket.destroy()
    return server
  }
  const begin = (connection: Connection, event: string | symbol, response: Answer) => {
    connection.current = response
    turns.begin(event, response, connection)
  }
  return {
    /** Handles a request when those before it have been answered. */
    arrive: (event: string | symbol, response: Answer): void => {
      const { socket } = response.req
      const connection = connections.get(socket) ?? known(socket)
      if (connection.last !== undefined) return
      connection.latest = response
      if (connection.current === undefined) begin(connection, event, response)
      else if (connection.waiting.length < turns.most) connection.waiting.push({ event, response })
      else {
        connection.last = () => turns.refuseMore(socket)
        ignoreInput(socket)
      }
    },
    end: (connection: Connection, response: Answer): void => {
      const { socket } = connection
      connection.current = undefined
      // An idle connection is not to hold its last exchange.
      if (response.req.complete && connection.latest === response) connection.latest = undefined
      const next = socket.writable && !closing ? connection.waiting.shift() : undefined
      if (next !== undefined) begin(connection, next.event, next.response)
      else if (!socket.writable) return
      else if (connection.last !== undefined) connection.last()
      else if (closing) socket.end()
    },
    /**
     * Ends a connection whose next bytes are no request: `refuse` answers them, after the requests before them. Bytes
     * that belong to the body of a request are answered in its place; if its answer has begun, there is no second one.
     */
    breakOff: (socket: Duplex, refuse: () => void): void => {
      const connection = connections.get(socket)
      if (connection === undefined || !socket.writable) return void socket.destroy()
      const { current, latest, waiting, last } = connection
      // The client has gone, or at least sends no more. Node ends the connection then, unless its parser sees a fault.
      const hasLeft = current !== undefined && socket.readableEnded
      if (last === undefined || hasLeft) connection.last = nothing
      if (hasLeft) return void socket.end()
      if (last !== undefined) return
      const isBody = latest?.req.complete === false
      if (isBody && latest === current) {
        if (latest.headersSent) socket.destroy()
        else refuse()
      } else if (isBody && latest !== waiting.at(-1)?.response) {
        socket.end()
      } else {
        if (isBody) waiting.pop()
        if (current === undefined) refuse()
        else connection.last = refuse
      }
    },
    /**
     * The same when Node has taken the connection out of its server, so that it no longer ends the answer when the
     * client goes.
     */
    breakAway: (socket: Duplex, refuse: () => void): void => {
      const connection = connections.get(socket)
      if (connection?.current === undefined) refuse()
      else {
        connection.last = nothing
        connection.waiting.length = 0
        connection.current.destroy()
        socket.destroy()
      }
    }
  }
}
