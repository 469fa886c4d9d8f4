import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Effect, Layer, Option } from "effect"
import * as SocketServer from "effect/socket/SocketServer"

/**
 * Connections that fail a write after they were closed. Node silently drops such a write, so the sender would wait
 * forever for a reply; in a gateway that wakes from a freeze, whose connections the others have closed, no entity would
 * ever end.
 */
export const mortal = Layer.effect(
  SocketServer.SocketServer,
  Effect.map(SocketServer.SocketServer, (server) =>
    SocketServer.SocketServer.of({
      ...server,
      run: (handler) =>
        server.run((socket) =>
          Effect.flatMap(Effect.serviceOption(NodeSocket.NetSocket), (connection) => {
            if (Option.isSome(connection)) connection.value.once("close", () => refuse(connection.value))
            return handler(socket)
          })
        )
    })
  )
)

const refuse = (connection: NodeSocket.NetSocket["Service"]): void => {
  connection.write = () => {
    throw new Error("the connection is closed")
  }
}
