import { hostname } from "node:os"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import { heartbeat, takeover } from "../../protocol/Liveness.ts"
import { Gateway } from "../../services/runs/Gateway.ts"
import { viewProcess } from "./processes.ts"

const goneAfter = `${takeover} milliseconds`

/** What a gateway is called that does not listen for the others: its host, and its process in place of a port. */
const silentAddress = (): string => `${hostname()}:${process.pid}`

/** A zombie has ended. This process is none of the others, whose number it may have got. */
const isRunning = (pid: number): boolean => pid !== process.pid && viewProcess(pid).state === "running"

/** The process of `<host>:<pid>`. */
const processOf = (name: string): number => Number(name.slice(name.lastIndexOf(":") + 1))

/**
 * Enters this process in the table of gateways and strikes out those that are gone: silent for seven seconds by the
 * database's clock, or without a process on this host, theirs and those of their runs. With `alone` (an embedded
 * database) all others are gone.
 */
export const layer = (alone: boolean, address = silentAddress()) =>
  Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = crypto.randomUUID()
      const host = hostname()

      const enter = unreachable(sql`
        insert into gateways (id, host, pid, address, seen_at)
        values (${id}, ${host}, ${process.pid}, ${address}, clock_timestamp())
        on conflict (id) do update set seen_at = excluded.seen_at`)

      const strike = Effect.gen(function* () {
        // A run ends with its gateway, but on a busy machine it may go on for a moment: nobody takes it over before.
        const here = yield* sql<{ id: string; pid: number; runs: ReadonlyArray<string> }>`
          select id, pid, array(
            select job_id from executions where owner = gateways.id and state = 'RUNNING' and job_id is not null
            union all
            select job_id from channel_jobs where node = gateways.host || ':' || gateways.pid and job_id is not null
          ) as runs from gateways where host = ${host} and id <> ${id}`
        const dead = here.filter(({ pid }) => !isRunning(pid))
        const gone = dead.filter(({ runs }) => !runs.some((run) => isRunning(processOf(run)))).map((other) => other.id)
        yield* sql`
          delete from gateways
          where id <> ${id} and (${alone} or seen_at < clock_timestamp() - ${goneAfter}::interval
            or ${gone.length === 0 ? sql`false` : sql.in("id", gone)})`
        return alone || gone.length === dead.length
      }).pipe(unreachable)

      yield* Effect.acquireRelease(enter, () => Effect.ignore(unreachable(sql`delete from gateways where id = ${id}`)))
      // Before anybody can ask: no execution may be seen running that is not.
      yield* strike.pipe(Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced(50), times: 100 }))
      yield* Effect.andThen(enter, strike).pipe(
        Effect.ignore,
        // Without a next beat the others would take this gateway for dead.
        Effect.catchDefect((defect) => Effect.logError("gateways", defect)),
        Effect.schedule(Schedule.spaced(heartbeat)),
        Effect.forkScoped
      )
      return Gateway.of({ id, name: `${host}:${process.pid}`, address })
    })
  )
