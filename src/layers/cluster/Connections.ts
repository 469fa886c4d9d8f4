import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Effect, Layer, Option } from "effect"
import * as SocketServer from "effect/socket/SocketServer"

/**
 * Connections on which a write fails once they are gone. Node takes what is written then without a word, and a reply
 * waits for ever: in a gateway that wakes from a freeze, whose connections the others have closed, no entity would end.
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
