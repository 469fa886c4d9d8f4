import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { type GatewayEntry, GatewayList } from "../../../services/platform/Installation.ts"
import { Gateway } from "../../../services/runs/Gateway.ts"

interface GatewayRow extends Omit<GatewayEntry, "seenAt" | "address"> {
  readonly address: string | null
  readonly seenAt: Date
}

/** The table `gateways`, which holds those that have given a heartbeat lately. */
export const layer = Layer.effect(
  GatewayList,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* Gateway
    return GatewayList.of({
      all: sql<GatewayRow>`
        select host || ':' || pid as name, nullif(address, host || ':' || pid) as address, seen_at as "seenAt",
          id = ${id} as answering,
          (select count(*) from executions where owner = gateways.id and state = 'RUNNING')::integer as executions,
          (select count(*) from channel_jobs
            where node = gateways.host || ':' || gateways.pid and job_id is not null)::integer as jobs
        from gateways order by host, pid`.pipe(
        Effect.map((rows) => rows.map((row): GatewayEntry => ({ ...row, seenAt: row.seenAt.toISOString() }))),
        unreachable
      )
    })
  })
)
