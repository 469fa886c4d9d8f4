import { once } from "node:events"
import { connect } from "node:net"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, type Exit, Layer, Option } from "effect"
import * as SocketServer from "effect/socket/SocketServer"
import { mortal } from "../../src/layers/cluster/GatewayCluster.ts"

const listening = mortal.pipe(Layer.provide(NodeSocketServer.layer({ host: "127.0.0.1", port: 0 })))

it.live("an answer to somebody who has gone fails, where it would wait for ever", () =>
  Effect.gen(function* () {
    const server = yield* SocketServer.SocketServer
    const answered = yield* Deferred.make<Exit.Exit<void, unknown>>()
    const serving = server.run((socket) =>
      Effect.gen(function* () {
        const { write } = yield* socket.writer
        const { pull } = yield* socket.reader
        // Until the other side has closed, with the reader still open.
        yield* Effect.ignore(Effect.forever(pull))
        const connection = Option.getOrThrow(yield* Effect.serviceOption(NodeSocket.NetSocket))
        yield* Effect.promise(async () => {
          if (!connection.closed) await once(connection, "close")
        })
        yield* Deferred.succeed(answered, yield* Effect.exit(Effect.timeout(write("late"), "5 seconds")))
      }).pipe(Effect.scoped)
    )
    yield* Effect.forkScoped(serving)
    const { address } = server
    const client = connect({ host: "127.0.0.1", port: "port" in address ? address.port : 0 }, () => client.destroy())
    const error = yield* Effect.flip(Effect.flatten(Deferred.await(answered)))
    expect(error).toMatchObject({ reason: { _tag: "SocketWriteError" } })
    client.destroy()
  }).pipe(Effect.provide(listening), Effect.scoped)
)
