import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Server as SecureServer } from "node:tls"
import { plainAddress } from "./Forwarded.ts"

/** A connection on which requests can come. */
interface Connection {
  readonly socket: Socket
  /** The peer's IP address. Kept because a closed socket no longer has it. */
  readonly remote: string
  /** Whether the peer is a trusted proxy. */
  readonly isTrusted: boolean
  /** Number of answers in progress. */
  answers: number
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
    return { socket, remote, isTrusted: isTrusted(remote), answers: 0 }
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
    for (const { socket, answers } of connections.values()) if (answers === 0) socket.destroy()
    return server
  }
  return {
    has: (socket: unknown): boolean => connections.has(socket),
    begin: (socket: Socket): Connection => {
      const connection = connections.get(socket) ?? known(socket)
      connection.answers += 1
      return connection
    },
    end: (connection: Connection) => {
      connection.answers -= 1
      if (connection.answers === 0 && closing) connection.socket.end()
    }
  }
}
