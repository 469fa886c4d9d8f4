import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Option } from "effect"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Runners from "effect/cluster/Runners"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SocketRunner from "effect/cluster/SocketRunner"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import {
  clusterPoll,
  clusterPollAlone,
  entityStop,
  shardExpiration,
  shardRefresh,
  takeover
} from "../../protocol/Liveness.ts"
import { Gateway } from "../../services/runs/Gateway.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { mortal } from "./Connections.ts"
import * as Tidy from "./Tidy.ts"

/**
 * A member lives as long as it says so in the table of gateways. A question over the network would find a frozen process
 * only after a minute.
 */
const health = Layer.effect(
  RunnerHealth.RunnerHealth,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return RunnerHealth.RunnerHealth.of({
      isAlive: ({ host, port }) =>
        sql`select 1 from gateways where address = ${`${host}:${port}`} and seen_at > clock_timestamp() - ${`${takeover} milliseconds`}::interval`.pipe(
          unreachable,
          Effect.map((rows) => rows.length > 0),
          Effect.orElseSucceed(() => true)
        )
    })
  })
)

const tables = { prefix: "flow_cluster" }

const messages = SqlMessageStorage.layerWith(tables).pipe(Layer.provide(NodeCrypto.layerDigest))

/** Without a port of their own, members find their messages in the database, a second after they were sent at most. */
const silent = Layer.provideMerge(Sharding.layer, Runners.layerNoop)

const protocol = Layer.provideMerge(NodeClusterSocket.layerClientProtocol, RpcSerialization.layerSchemaBinary())
const sockets = SocketRunner.layer.pipe(
  Layer.provide(mortal),
  Layer.provide(NodeClusterSocket.layerSocketServer),
  Layer.provide(protocol)
)
/** Sends, and is given nothing to do. */
const clients = Layer.provide(SocketRunner.layerClientOnly, protocol)

const addressOf = (text: string): RunnerAddress.RunnerAddress => {
  const at = text.lastIndexOf(":")
  return RunnerAddress.make(text.slice(0, at), Number(text.slice(at + 1)))
}

/**
 * The cluster of all gateways on one database: it gives every job to one of them, and to another one when that dies. A
 * gateway with its own embedded database is alone in it.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseUrl, cluster, role } = yield* Settings
    const { address } = yield* Gateway
    // Alone, nobody else sends messages or takes them over.
    const alone = databaseUrl === undefined
    const look = alone ? clusterPollAlone : clusterPoll
    const config = ShardingConfig.layer({
      runnerAddress: role === "api" ? Option.none() : Option.some(addressOf(address)),
      // The same on all members.
      shardsPerGroup: 64,
      entityMessagePollInterval: look,
      refreshAssignmentsInterval: look,
      runnerHealthCheckInterval: look,
      shardLockRefreshInterval: shardRefresh,
      shardLockExpiration: shardExpiration,
      entityTerminationTimeout: entityStop,
      simulateRemoteSerialization: false
    })
    return (cluster === undefined ? silent : role === "api" ? clients : sockets).pipe(
      Layer.provide(alone ? RunnerStorage.layerMemory : SqlRunnerStorage.layerWith(tables)),
      Layer.provide(alone ? RunnerHealth.layerNoop : health),
      Layer.provideMerge(Tidy.layer),
      Layer.provideMerge(messages),
      Layer.provide(config)
    )
  })
)
