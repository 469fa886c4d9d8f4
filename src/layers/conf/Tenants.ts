import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Layer, Schema } from "effect"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { TenantName, Tenants } from "../../services/shared/Tenant.ts"
import { within } from "../files/Deadline.ts"

/** Milliseconds for which a listing of the tenants counts. A name that it lacks is looked up at once. */
const freshFor = 1000
const isTenantName = Schema.is(TenantName)

/** The folders below `<conf>/tenants/`. */
export const layer = Layer.effect(
  Tenants,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    let known: ReadonlySet<string> = new Set()
    let readAt = Number.NEGATIVE_INFINITY
    const read = async (): Promise<ReadonlySet<string>> => {
      const entries = await within(storageDeadline, readdir(join(conf, "tenants"), { withFileTypes: true }))
      known = new Set(entries.filter((e) => e.isDirectory() && isTenantName(e.name)).map((e) => e.name))
      return known
    }
    // Requests that come while the folder is being read share the reading.
    let reading: Promise<ReadonlySet<string>> | undefined
    const current = Effect.tryPromise({
      try: () => {
        reading ??= read().finally(() => {
          reading = undefined
        })
        return reading
      },
      catch: () => new StorageUnreachable({ storage: "data" })
    }).pipe(
      Effect.tap(() =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          readAt = now
        })
      )
    )
    const yes = Effect.succeed(true)
    return Tenants.of({
      exists: (name) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          now - readAt < freshFor && known.has(name) ? yes : Effect.map(current, (names) => names.has(name))
        ),
      names: Effect.map(current, (names) => [...names].sort())
    })
  })
)
