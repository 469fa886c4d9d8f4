import { Clock, Context, Effect, Layer, Stream } from "effect"
import type { Archive } from "../../src/services/archives/Archive.ts"
import {
  type ArchiveQuota,
  ArchiveStore,
  type NewArchive,
  type TooManyArchives,
  tooManyArchives
} from "../../src/services/archives/ArchiveStore.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"
import { spanOf } from "./Lists.ts"

interface Entry {
  readonly ordinal: number
  readonly archive: Archive
}

/** Adds an archive, as the stores of executions and jobs do with the end of a run. */
export class AddArchive extends Context.Service<
  AddArchive,
  (tenant: TenantId, archive: NewArchive, quota?: ArchiveQuota) => Effect.Effect<void, TooManyArchives>
>()("test/AddArchive") {}

/** Archives in the process's memory: the same behaviour as in PostgreSQL, for tests. */
export const layer = Layer.syncContext(() => {
  const tenants = new Map<string, Map<string, Entry>>()
  let ordinal = 0
  const archivesOf = (tenant: TenantId) => {
    const archives = tenants.get(tenant) ?? new Map<string, Entry>()
    tenants.set(tenant, archives)
    return archives
  }
  const add: AddArchive["Service"] = Effect.fnUntraced(function* (tenant, archive, quota) {
    const createdAt = new Date(yield* Clock.currentTimeMillis).toISOString()
    const archives = archivesOf(tenant)
    const others = [...archives.values()].filter((known) => known.archive.id !== archive.id)
    const used = {
      number: others.length + 1,
      bytes: others.reduce((sum, known) => sum + known.archive.size, archive.size)
    }
    const over = quota === undefined ? undefined : tooManyArchives(quota, used)
    if (over !== undefined) return yield* over
    const at = archives.get(archive.id)?.ordinal ?? ++ordinal
    archives.set(archive.id, { ordinal: at, archive: { ...archive, createdAt } })
  })
  const store = ArchiveStore.of({
    get: (tenant, id) => Effect.sync(() => archivesOf(tenant).get(id)?.archive),
    list: (tenant, span) =>
      Stream.suspend(() =>
        Stream.fromIterable(
          spanOf([...archivesOf(tenant).values()], span, (entry) => entry.ordinal).map(({ ordinal, archive }) => ({
            key: String(ordinal),
            json: JSON.stringify(archive)
          }))
        )
      ),
    remove: (tenant, id) =>
      Effect.sync(() => {
        const sha256 = archivesOf(tenant).get(id)?.archive.sha256
        archivesOf(tenant).delete(id)
        return sha256
      }),
    removeAll: (tenant) =>
      Effect.sync(() => {
        const { size } = archivesOf(tenant)
        archivesOf(tenant).clear()
        return size
      }),
    references: (tenant, sha256s) =>
      Effect.sync(() => {
        const referred = new Set([...archivesOf(tenant).values()].map((entry) => entry.archive.sha256))
        return sha256s.filter((sha256) => referred.has(sha256))
      })
  })
  return Context.make(ArchiveStore, store).pipe(Context.add(AddArchive, add))
})
