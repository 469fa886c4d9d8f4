import { createHash } from "node:crypto"
import { Clock, Effect, Layer, Stream } from "effect"
import { FlowlineStore, type FlowlineVersion, type NewVersion } from "../../src/services/flowlines/FlowlineStore.ts"
import type { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"
import { spanOf } from "./Lists.ts"

interface Entry {
  readonly ordinal: number
  readonly saved: boolean
  readonly versions: Array<FlowlineVersion>
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** Flowlines in the process's memory: the same behaviour as in PostgreSQL, for tests. */
export const layer = Layer.sync(FlowlineStore, () => {
  const tenants = new Map<string, Map<string, Entry>>()
  let ordinal = 0
  const flowlinesOf = (tenant: TenantId) => {
    const flowlines = tenants.get(tenant) ?? new Map<string, Entry>()
    tenants.set(tenant, flowlines)
    return flowlines
  }
  const saved = (tenant: TenantId, id: FlowlineId) => {
    const entry = flowlinesOf(tenant).get(id)
    return entry?.saved === true ? entry : undefined
  }
  const stamp = (flowline: NewVersion, version: number) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now): FlowlineVersion => ({ ...flowline, version, savedAt: new Date(now).toISOString() })
    )
  return FlowlineStore.of({
    create: (tenant, flowline, isSaved) =>
      Effect.map(stamp(flowline, 1), (version) => {
        flowlinesOf(tenant).set(flowline.id, { ordinal: ++ordinal, saved: isSaved, versions: [version] })
        return version
      }),
    revise: Effect.fnUntraced(function* (tenant, flowline, expected) {
      const entry = saved(tenant, flowline.id)
      if (entry === undefined) return { _tag: "Missing" }
      if (expected !== undefined && !expected.includes(entry.versions.length)) return { _tag: "Changed" }
      const version = yield* stamp(flowline, entry.versions.length + 1)
      const before = entry.versions.at(-1)
      entry.versions.push(version)
      return { _tag: "Saved", version: version.version, before: before === undefined ? undefined : sha256(before.dag) }
    }),
    get: (tenant, id, version) =>
      Effect.sync(() => {
        const versions = saved(tenant, id)?.versions
        return version === undefined ? versions?.at(-1) : versions?.[version - 1]
      }),
    isSaved: (tenant, id) => Effect.sync(() => saved(tenant, id) !== undefined),
    remove: (tenant, id) =>
      Effect.sync(() => {
        const last = saved(tenant, id)?.versions.at(-1)
        if (last === undefined) return undefined
        flowlinesOf(tenant).delete(id)
        return sha256(last.dag)
      }),
    list: (tenant, span) =>
      Stream.suspend(() =>
        Stream.fromIterable(
          spanOf(
            [...flowlinesOf(tenant).values()].filter((entry) => entry.saved),
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
