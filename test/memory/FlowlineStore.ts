import { createHash } from "node:crypto"
import { Clock, Effect, Layer, Stream } from "effect"
import { OverQuota, type Quota } from "../../src/services/blobs/Quota.ts"
import {
  type FlowlineKind,
  FlowlineStore,
  type FlowlineVersion,
  type NewVersion
} from "../../src/services/flowlines/FlowlineStore.ts"
import type { FlowlineVersionEntry } from "../../src/services/flowlines/VersionModels.ts"
import type { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"
import { spanOf } from "./Lists.ts"
import { Shelves } from "./Resources.ts"

type Version = NewVersion & FlowlineVersion

interface Entry {
  readonly ordinal: number
  readonly keeping: FlowlineKind
  readonly versions: Array<Version>
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const sizeOf = ({ dag, file }: Version) => file?.bytes.length ?? Buffer.byteLength(dag)

const entryOf = (version: Version, current: number): FlowlineVersionEntry => ({
  version: version.version,
  "@timestamp": version.savedAt,
  platformId: version.platformId,
  current: version.version === current,
  original: version.file !== undefined,
  size: sizeOf(version),
  filename: version.file?.name ?? null,
  restored: version.restored ?? null
})

/** Flowlines in the process's memory: the same behaviour as in PostgreSQL, for tests. */
const make = Effect.gen(function* () {
  const shelves = yield* Shelves
  const tenants = new Map<string, Map<string, Entry>>()
  let ordinal = 0
  const flowlinesOf = (tenant: TenantId) => {
    const flowlines = tenants.get(tenant) ?? new Map<string, Entry>()
    tenants.set(tenant, flowlines)
    return flowlines
  }
  const found = (tenant: TenantId, id: FlowlineId, ...keeping: ReadonlyArray<FlowlineKind>) => {
    const entry = flowlinesOf(tenant).get(id)
    return entry !== undefined && keeping.includes(entry.keeping) ? entry : undefined
  }
  const saved = (tenant: TenantId, id: FlowlineId) => found(tenant, id, "saved")
  const stamp = (flowline: NewVersion, version: number) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now): Version => ({ ...flowline, version, savedAt: new Date(now).toISOString() })
    )
  const count = (tenant: TenantId, id: FlowlineId, versions: ReadonlyArray<Version>, quota?: Quota) =>
    Effect.suspend(() => {
      const shelf = shelves.of(tenant)
      const before = shelf.flowlines.get(id) ?? []
      shelf.flowlines.set(id, versions.map(sizeOf))
      const usage = quota === undefined ? undefined : shelf.over(quota)
      if (usage === undefined) return Effect.void
      shelf.flowlines.set(id, before)
      return new OverQuota({ usage })
    })
  return FlowlineStore.of({
    create: Effect.fnUntraced(function* (tenant, flowline, keeping, quota) {
      const version = yield* stamp(flowline, 1)
      if (keeping === "saved") yield* count(tenant, flowline.id, [version], quota)
      flowlinesOf(tenant).set(flowline.id, { ordinal: ++ordinal, keeping, versions: [version] })
      return version
    }),
    revise: Effect.fnUntraced(function* (tenant, flowline, expected, quota) {
      const entry = saved(tenant, flowline.id)
      if (entry === undefined) return { _tag: "Missing" }
      if (expected !== undefined && !expected.includes(entry.versions.length)) return { _tag: "Changed" }
      const version = yield* stamp(flowline, entry.versions.length + 1)
      yield* count(tenant, flowline.id, [...entry.versions, version], quota)
      const before = entry.versions.at(-1)
      entry.versions.push(version)
      return { _tag: "Saved", version: version.version, before: before === undefined ? undefined : sha256(before.dag) }
    }),
    get: (tenant, id, version) =>
      Effect.sync(() => {
        const versions = found(tenant, id, "saved", "once")?.versions
        return version === undefined ? versions?.at(-1) : versions?.[version - 1]
      }),
    full: (tenant, id, version) =>
      Effect.sync(() => {
        const versions = saved(tenant, id)?.versions ?? []
        const found = versions[version - 1]
        return found === undefined
          ? undefined
          : { ...found, current: versions.length, file: found.file, restored: found.restored }
      }),
    versions: (tenant, id, span) =>
      Stream.suspend(() => {
        const versions = saved(tenant, id)?.versions ?? []
        const rest = versions.toReversed().filter(({ version }) => version < Number(span.after ?? 2 ** 31))
        return Stream.fromIterable(
          rest.slice(0, span.limit).map((version) => ({
            key: String(version.version),
            json: JSON.stringify(entryOf(version, versions.length))
          }))
        )
      }),
    isSaved: (tenant, id) => Effect.sync(() => saved(tenant, id) !== undefined),
    remove: (tenant, id, seen) =>
      Effect.sync(() => {
        const last = found(tenant, id, "saved", "once")?.versions.at(-1)
        if (last === undefined || (seen !== undefined && last.version !== seen)) return undefined
        shelves.of(tenant).flowlines.delete(id)
        flowlinesOf(tenant).delete(id)
        return sha256(last.dag)
      }),
    list: (tenant, span) =>
      Stream.suspend(() =>
        Stream.fromIterable(
          spanOf(
            [...flowlinesOf(tenant).values()].filter(({ keeping }) => keeping === "saved"),
            span,
            (entry) => entry.ordinal
          ).map(({ ordinal, versions }) => {
            const { id, dag, version, platformId, savedAt } = versions.at(-1)!
            const flowline: unknown = JSON.parse(dag)
            return {
              key: String(ordinal),
              json: JSON.stringify({ id, flowline, version, platformId, "@timestamp": savedAt })
            }
          })
        )
      )
  })
})

export const layer = Layer.effect(FlowlineStore, make)
