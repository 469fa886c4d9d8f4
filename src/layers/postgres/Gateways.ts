import { hostname } from "node:os"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Gateway } from "../../services/executions/Gateway.ts"
import { unreachable } from "./Unreachable.ts"

/** A gateway that has not been seen for this long is gone; it says that it is there every second. */
const goneAfter = "7 seconds"
const beat = "1 second"

/** What a gateway is called that does not listen for the others: its host, and its process in place of a port. */
const silentAddress = (): string => `${hostname()}:${process.pid}`

const isRunning = (pid: number): boolean => {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/**
 * Enters this process in the table of gateways and strikes out those that are gone: silent for seven seconds by the
 * database's clock, or without a process on this host. With `alone` (an embedded database) all others are gone.
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
        const here = yield* sql<{ id: string; pid: number }>`
          select id, pid from gateways where host = ${host} and id <> ${id}`
        const dead = here.filter((other) => alone || !isRunning(other.pid)).map((other) => other.id)
        yield* sql`
          delete from gateways
          where id <> ${id} and (${alone} or seen_at < clock_timestamp() - ${goneAfter}::interval
            or ${dead.length === 0 ? sql`false` : sql.in("id", dead)})`
      }).pipe(unreachable)

      yield* Effect.acquireRelease(enter, () => Effect.ignore(unreachable(sql`delete from gateways where id = ${id}`)))
      yield* strike
      yield* Effect.andThen(enter, strike).pipe(
        Effect.ignore,
        Effect.schedule(Schedule.spaced(beat)),
        Effect.forkScoped
      )
      return Gateway.of({ id, name: `${host}:${process.pid}`, address })
    })
  )
