import type { Dirent } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer, Schema } from "effect"
import { codeOf } from "../../drivers/Failure.ts"
import { oneAtATime } from "../../drivers/files/Deadline.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { monotonicNow } from "../../protocol/MonotonicTime.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { TenantId, TenantName, Tenants } from "../../services/shared/Tenant.ts"

/** Milliseconds for which the list of tenants is cached. A name that is not in it is looked up immediately. */
const freshFor = 1000
const isTenantName = Schema.is(TenantName)

/**
 * The folders of the tenants: empty when the configuration folder has no `tenants`, an error when it is unreachable.
 */
const foldersOf = (conf: string): Promise<ReadonlyArray<Dirent>> =>
  readdir(join(conf, "tenants"), { withFileTypes: true }).catch(async (error) => {
    if (codeOf(error) !== "ENOENT" || !(await stat(conf)).isDirectory()) throw error
    return []
  })

/**
 * The tenants are those of the access file, with or without a folder; when it lists none, the folders below
 * `<conf>/tenants/`.
 */
export const layer = Layer.effect(
  Tenants,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    const rules = yield* AccessRules
    const listed = () => rules.current()?.tenants
    let known: ReadonlySet<string> = new Set()
    let readAt = Number.NEGATIVE_INFINITY
    const read = async (): Promise<ReadonlySet<string>> => {
      const entries = await foldersOf(conf)
      known = new Set(entries.filter((e) => e.isDirectory() && isTenantName(e.name)).map((e) => e.name))
      return known
    }
    const reads = oneAtATime<ReadonlySet<string>>(storageDeadline)
    const current = Effect.tryPromise({
      try: () => reads(conf, read),
      catch: () => new StorageUnreachable({ storage: "data" })
    }).pipe(
      Effect.tap(() =>
        Effect.map(monotonicNow, (now) => {
          readAt = now
        })
      )
    )
    const yes = Effect.succeed(true)
    const no = Effect.succeed(false)
    return Tenants.of({
      exists: (name) => {
        const tenants = listed()
        if (tenants !== undefined) return Object.hasOwn(tenants, name) ? yes : no
        return Effect.flatMap(monotonicNow, (now) =>
          now - readAt < freshFor && known.has(name) ? yes : Effect.map(current, (names) => names.has(name))
        )
      },
      // Read even if the access file lists the tenants: who asks for all tenants has to learn whether the folder is
      // unreachable.
      names: Effect.map(current, (folders) => {
        const tenants = listed()
        return (tenants === undefined ? [...folders] : Object.keys(tenants)).sort().map((name) => TenantId(name))
      })
    })
  })
)
