import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Effect, Layer, Option } from "effect"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Runners from "effect/cluster/Runners"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SocketRunner from "effect/cluster/SocketRunner"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as SocketServer from "effect/socket/SocketServer"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import { clusterPoll, clusterPollAlone, entityStop, shardExpiration, shardRefresh } from "../../protocol/Liveness.ts"
import { Gateway } from "../../services/runs/Gateway.ts"
import { inBackground } from "../../services/shared/process/Background.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import * as Messages from "./Messages.ts"
import * as ShardStorage from "./ShardStorage.ts"

/** Maximum number of rows that one statement deletes. */
const atOnce = 1000

/**
 * Deletes the cluster messages of finished executions and jobs, with their replies. They are no longer needed: if one
 * is sent again, the row of the execution or job shows that there is nothing to do.
 */
export const deleteOldMessages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let removed = atOnce; removed === atOnce; ) {
    const [row] = yield* sql<{ removed: number }>`
      with done as (
        delete from flow_cluster_messages
        where id in (
          select id from flow_cluster_messages
          where processed and (last_read is null or last_read < now() at time zone 'UTC' - interval '10 minutes')
          order by id limit ${atOnce} for update skip locked
        ) returning request_id
      ), answers as (
        delete from flow_cluster_replies where request_id in (select request_id from done)
      )
      select count(*)::integer as removed from done`
    removed = row?.removed ?? 0
  }
}).pipe(unreachable)

/** Deletes old cluster messages every ten minutes. */
const oldMessages = Layer.effectDiscard(
  inBackground("The removal of old cluster messages", Effect.ignore(deleteOldMessages), "10 minutes")
)

/**
 * Makes writes to a closed connection fail. Node drops them silently, so the sender would wait for a reply forever: in
 * a gateway that wakes from a freeze, whose connections the others have closed, no entity would ever end.
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

const tables = { prefix: "flow_cluster" }

const messages = Messages.layer(tables)

/** A member without a port polls the database for its messages, which takes at most a second. */
const silent = Layer.provideMerge(Sharding.layer, Runners.layerNoop)

const protocol = Layer.provideMerge(NodeClusterSocket.layerClientProtocol, RpcSerialization.layerSchemaBinary())
const sockets = SocketRunner.layer.pipe(
  Layer.provide(mortal),
  Layer.provide(NodeClusterSocket.layerSocketServer),
  Layer.provide(protocol)
)
/** Only sends messages; is assigned no work. */
const clients = Layer.provide(SocketRunner.layerClientOnly, protocol)

const addressOf = (text: string): RunnerAddress.RunnerAddress => {
  const at = text.lastIndexOf(":")
  return RunnerAddress.make(text.slice(0, at), Number(text.slice(at + 1)))
}

/**
 * The cluster of all gateways on one database. It assigns every execution and job to one gateway, and to another one
 * when that gateway dies. A gateway with an embedded database is the only member.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseUrl, cluster, role } = yield* Settings
    const { address } = yield* Gateway
    // With an embedded database no other gateway sends messages or takes over.
    const alone = databaseUrl === undefined
    const look = alone ? clusterPollAlone : clusterPoll
    const config = ShardingConfig.layer({
      runnerAddress: role === "api" ? Option.none() : Option.some(addressOf(address)),
      // Must be equal on all members.
      shardsPerGroup: 64,
      entityMessagePollInterval: look,
      // With other members, reading the members itself waits for news.
      refreshAssignmentsInterval: alone ? look : 0,
      runnerHealthCheckInterval: clusterPollAlone,
      shardLockRefreshInterval: shardRefresh,
      shardLockExpiration: shardExpiration,
      entityTerminationTimeout: entityStop,
      simulateRemoteSerialization: false
    })
    return (cluster === undefined ? silent : role === "api" ? clients : sockets).pipe(
      Layer.provide(alone ? RunnerStorage.layerMemory : ShardStorage.layer),
      Layer.provide(RunnerHealth.layerNoop),
      Layer.provideMerge(oldMessages),
      Layer.provideMerge(messages),
      Layer.provide(config)
    )
  })
)
