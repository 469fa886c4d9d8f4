import { createServer, type Server } from "node:net"
import { Effect } from "effect"
import { connected } from "./Connections.ts"

/** The other address that clients of the name `localhost` may use; they try ::1 first. */
const otherOf = (address: string, host: string): string | undefined => {
  if (address === "127.0.0.1" || address === "0.0.0.0") return "::1"
  return address === "::1" && host !== address ? "127.0.0.1" : undefined
}

/**
 * If a server listens at one address of `localhost`, also accepts connections at the other one. Otherwise any program of
 * the machine, such as a tenant's node with the network, could listen there on the same port and receive the passwords of
 * clients that try that address first. If the machine has no such address, nobody can. The server's `close` closes both.
 */
export const holdOtherLoopback = (server: Server, host: string) =>
  Effect.suspend(() => {
    const bound = server.address()
    const other = bound === null || typeof bound === "string" ? undefined : otherOf(bound.address, host)
    if (bound === null || typeof bound === "string" || other === undefined) return Effect.void
    // With the options of the server's own sockets.
    const options = { allowHalfOpen: connected(server) === "connection", noDelay: true }
    const second = createServer(options, (socket) => server.emit("connection", socket))
    const close = server.close.bind(server)
    server.close = (done) => {
      // Called at once, because it also ends the idle connections of both.
      const first = new Promise<Error | undefined>((resolve) => close(resolve))
      second.close(() => void first.then((error) => done?.(error)))
      return server
    }
    const listening = Effect.callback<NodeJS.ErrnoException | undefined>((resume) => {
      second.once("error", (error) => resume(Effect.succeed(error)))
      second.listen({ host: other, port: bound.port, ipv6Only: true }, () => resume(Effect.undefined))
    })
    return Effect.flatMap(listening, (error) => {
      second.on("error", () => {})
      if (error?.code !== "EADDRINUSE") return Effect.void
      const at = other === "::1" ? "[::1]" : other
      return Effect.logWarning(
        `Another program listens at ${at}:${bound.port}: clients of http://localhost:${bound.port} may come to it, with their passwords`
      )
    })
  })
