import { hostname } from "node:os"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { departurePoll, heartbeat, takeover } from "../../../protocol/Liveness.ts"
import { Gateway } from "../../../services/runs/Gateway.ts"
import { inBackground } from "../../../services/shared/process/Background.ts"
import { viewProcess } from "../processes.ts"
import { Departures, makeDepartures } from "./Departures.ts"
import { enter, isSilent } from "./HeartbeatSql.ts"
import { Heartbeats } from "./Heartbeats.ts"

/** The name of a gateway that does not listen for others: its host, and its pid in place of a port. */
const silentAddress = (): string => `${hostname()}:${process.pid}`

/** A zombie counts as ended. A row with the pid of this process is an old one: the pid was reused. */
export const isRunning = (pid: number): boolean => pid !== process.pid && viewProcess(pid).state === "running"

/** The pid in `<host>:<pid>`. */
const processOf = (name: string): number => Number(name.slice(name.lastIndexOf(":") + 1))

/**
 * Registers this process in the table `gateways` and deletes the rows of dead gateways: silent for seven seconds in
 * which others were not, or on this host without a live process of theirs or of their runs. With `alone` (an embedded
 * database) all other rows are dead. A gateway of this host that has ended is seen within a moment, and told as a departure.
 */
export const layer = (alone: boolean, address = silentAddress()) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = crypto.randomUUID()
      const host = hostname()
      const heartbeats = yield* Heartbeats
      /** The processes of the other gateways on this host. */
      let others: ReadonlyArray<number> = []
      let mostRuns = 0

      const row = { id, host, pid: process.pid, address }
      const beat = unreachable(enter(sql, row))

      const strike = Effect.gen(function* () {
        // A run ends with its gateway, but on a busy machine it may continue for a moment. Until it has ended, nobody
        // takes its work over.
        const all = yield* sql<{ id: string; host: string; pid: number; runs: ReadonlyArray<string> }>`
          select id, host, pid, array(
            select job_id from executions where owner = gateways.id and state = 'RUNNING' and job_id is not null
            union all
            select job_id from channel_jobs where node = gateways.host || ':' || gateways.pid and job_id is not null
          ) as runs from gateways where id <> ${id}`
        mostRuns = Math.max(0, ...all.map(({ runs }) => runs.length))
        const here = all.filter((other) => other.host === host)
        others = here.map(({ pid }) => pid)
        const dead = here.filter(({ pid }) => !isRunning(pid))
        const gone = dead.filter(({ runs }) => !runs.some((run) => isRunning(processOf(run)))).map((other) => other.id)
        yield* sql`
          delete from gateways
          where id <> ${id} and (${alone} or ${isSilent(sql, sql`seen_at`, takeover)}
            or ${gone.length === 0 ? sql`false` : sql.in("id", gone)})`
        return alone || gone.length === dead.length
      }).pipe(unreachable)

      yield* Effect.acquireRelease(beat, () => Effect.ignore(unreachable(sql`delete from gateways where id = ${id}`)))
      yield* heartbeats.begin(row)
      // This happens before requests are served, so that no dead execution is shown as running.
      yield* strike.pipe(Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced(50), times: 100 }))
      yield* Effect.andThen(
        Effect.suspend(() => (heartbeats.isBeating() ? Effect.void : beat)),
        strike
      ).pipe(
        Effect.ignore,
        // Without further heartbeats the others would consider this gateway dead.
        Effect.catchDefect((defect) => Effect.logError("gateways", defect)),
        Effect.schedule(Schedule.spaced(heartbeat)),
        Effect.forkScoped
      )
      const departures = makeDepartures({
        removeSilent: Effect.andThen(beat, strike),
        mostRuns: () => mostRuns
      })
      const watch = Effect.gen(function* () {
        if (others.every(isRunning)) return
        if (yield* strike) yield* departures.add
      })
      // Elsewhere each look at a process starts another one.
      if (!alone && process.platform === "linux") {
        yield* inBackground("The watch over the gateways of this host", Effect.ignore(watch), departurePoll)
      }
      return Context.make(Gateway, Gateway.of({ id, name: `${host}:${process.pid}`, address })).pipe(
        Context.add(Departures, departures)
      )
    })
  )
