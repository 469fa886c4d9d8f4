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
    const list = Effect.tryPromise({
      try: () => within(storageDeadline, readdir(join(conf, "tenants"), { withFileTypes: true })),
      catch: () => new StorageUnreachable({ storage: "data" })
    })
    const read = Effect.gen(function* () {
      const entries = yield* list
      known = new Set(entries.filter((e) => e.isDirectory() && isTenantName(e.name)).map((e) => e.name))
      readAt = yield* Clock.currentTimeMillis
      return known
    })
    const yes = Effect.succeed(true)
    return Tenants.of({
      exists: (name) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          now - readAt < freshFor && known.has(name) ? yes : Effect.map(read, (names) => names.has(name))
        ),
      names: Effect.map(read, (names) => [...names].sort())
    })
  })
)
