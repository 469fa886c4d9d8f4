import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Server as SecureServer } from "node:tls"
import { plainAddress } from "./Forwarded.ts"

/** A connection on which requests can come. */
interface Connection {
  readonly socket: Socket
  /** The peer's IP address. Kept because a closed socket no longer has it. */
  readonly remote: string
  /** Whether the peer is a trusted proxy. */
  readonly isTrusted: boolean
  /** The answers in progress. */
  readonly answers: Set<ServerResponse>
  /** The answer to the last request, kept after its end while the request's body is still being read. */
  latest: ServerResponse | undefined
  /** Set once no further request can be read: what to do after the answers in progress. */
  last: (() => void) | undefined
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

/**
 * Makes `close` wait only for responses in progress. Node's own `close` waits for every connection that is not between
 * two requests: one that never sent a request, one with an incomplete head, and one whose response ended after the
 * call, until they time out.
 */
export const closeWithLastAnswer = (server: Server, isTrusted: (address: string) => boolean) => {
  const connections = new Map<unknown, Connection>()
  const handshakes = handshakesOf(server)
  let closing = false
  const known = (socket: Socket): Connection => {
    const remote = plainAddress(socket.remoteAddress ?? "")
    return { socket, remote, isTrusted: isTrusted(remote), answers: new Set(), latest: undefined, last: undefined }
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
    for (const { socket, answers } of connections.values()) if (answers.size === 0) socket.destroy()
    return server
  }
  return {
    begin: (response: ServerResponse): Connection => {
      const { socket } = response.req
      const connection = connections.get(socket) ?? known(socket)
      connection.answers.add(response)
      connection.latest = response
      return connection
    },
    end: (connection: Connection, response: ServerResponse) => {
      connection.answers.delete(response)
      // An idle connection is not to hold its last exchange.
      if (response.req.complete && connection.latest === response) connection.latest = undefined
      if (connection.answers.size > 0) return
      if (connection.last !== undefined) connection.last()
      else if (closing) connection.socket.end()
    },
    /**
     * Ends a connection whose next bytes are no request: `refuse` answers them, after the requests before them. Bytes
     * that belong to the body of a request are answered in its place; if its answer has begun, there is no second one.
     */
    breakOff: (socket: Duplex, refuse: () => void): void => {
      const connection = connections.get(socket)
      if (connection === undefined || !socket.writable) return void socket.destroy()
      if (connection.last !== undefined) return
      const { answers, latest } = connection
      const isBody = latest?.req.complete === false
      const finish = () => {
        if (!socket.writable) socket.destroy()
        else if (isBody && latest.headersSent) socket.end()
        else refuse()
      }
      connection.last = finish
      if (answers.size === 0) finish()
      else if (isBody) {
        if (answers.size > 1 || latest.headersSent) socket.destroy()
        else finish()
      }
    },
    /**
     * The same when Node has taken the connection out of its server, so that it no longer ends the answers when the
     * client goes.
     */
    breakAway: (socket: Duplex, refuse: () => void): void => {
      const connection = connections.get(socket)
      if (connection === undefined || connection.answers.size === 0) refuse()
      else {
        for (const response of connection.answers) response.destroy()
        socket.destroy()
      }
    }
  }
}
