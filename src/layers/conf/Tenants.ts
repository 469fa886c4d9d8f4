import type { Dirent } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Layer, Schema } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { codeOf } from "../../drivers/files/OpenInside.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { TenantName, Tenants } from "../../services/shared/Tenant.ts"

/** Milliseconds for which a listing of the tenants counts. A name that it lacks is looked up at once. */
const freshFor = 1000
const isTenantName = Schema.is(TenantName)

/** A configuration that is there but has no `tenants` has none; one that is away is an error. */
const foldersOf = (conf: string): Promise<ReadonlyArray<Dirent>> =>
  readdir(join(conf, "tenants"), { withFileTypes: true }).catch(async (error) => {
    if (codeOf(error) !== "ENOENT" || !(await stat(conf)).isDirectory()) throw error
    return []
  })

/** The folders below `<conf>/tenants/`. */
export const layer = Layer.effect(
  Tenants,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    let known: ReadonlySet<string> = new Set()
    let readAt = Number.NEGATIVE_INFINITY
    const read = async (): Promise<ReadonlySet<string>> => {
      const entries = await within(storageDeadline, foldersOf(conf))
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
