import { Effect, Layer, Stream } from "effect"
import { type Made, ResourceStore, type StoredVersion } from "../../src/services/resources/ResourceStore.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"
import { inOrder, type Kept, Shelves, timestamp } from "./Resources.ts"

const plain = ({ origin: _, ...version }: Kept): StoredVersion => version

/** Stored resources in the process's memory: the same behaviour as in PostgreSQL, for tests. */
export const layer = Layer.effect(
  ResourceStore,
  Effect.gen(function* () {
    const shelves = yield* Shelves
    const versionsOf = (tenant: TenantId, name: string, version?: number) =>
      [...(shelves.of(tenant).names.get(name)?.versions.values() ?? [])]
        .filter((it) => version === undefined || it.version === version)
        .sort((a, b) => a.version - b.version)
    const drop = (tenant: TenantId, name: string, versions: ReadonlyArray<StoredVersion>) => {
      const { names } = shelves.of(tenant)
      const known = names.get(name)
      for (const { version } of versions) known?.versions.delete(version)
      if (known?.versions.size === 0) names.delete(name)
    }
    return ResourceStore.of({
      transfer: (tenant, { from, to, version, embedded, isMove }, quota) =>
        Effect.map(timestamp, (now): Made => {
          const shelf = shelves.of(tenant)
          const asked = versionsOf(tenant, from, version)
          if (asked.length === 0) return { _tag: "Missing" }
          const there = asked.filter((it) => shelf.names.get(to)?.versions.has(it.version) === true)
          if (there.length > 0) return { _tag: "Exists", versions: there.map((it) => it.version) }
          const made = asked.map((it) => ({
            ...plain(it),
            name: to,
            embedded: it.embedded || embedded,
            createdAt: isMove ? it.createdAt : now
          }))
          const name = shelf.name(to)
          for (const it of made) name.versions.set(it.version, it)
          const usage = isMove ? undefined : shelf.over(quota)
          if (usage !== undefined) {
            drop(tenant, to, made)
            return { _tag: "Over", usage }
          }
          name.last = Math.max(name.last, ...made.map((it) => it.version))
          if (isMove) drop(tenant, from, asked)
          return { _tag: "Made", versions: made }
        }),
      register: (tenant, { name, path, version, ...others }) =>
        Effect.map(timestamp, (createdAt): Made => {
          const known = shelves.of(tenant).name(name)
          const number = version ?? known.last + 1
          if (known.versions.has(number)) return { _tag: "Exists", versions: [number] }
          known.last = Math.max(known.last, number)
          const made = { name, version: number, place: { path }, embedded: false, createdAt, ...others }
          known.versions.set(number, made)
          return { _tag: "Made", versions: [made] }
        }),
      versions: (tenant, name, version) => Effect.sync(() => versionsOf(tenant, name, version).map(plain)),
      list: (tenant, { after, limit }) =>
        Stream.suspend(() => {
          const names = [...shelves.of(tenant).names.keys()].sort(inOrder)
          const rows = names
            .filter((name) => after === undefined || inOrder(name, after) > 0)
            .map((name) => ({ key: name, json: JSON.stringify(plain(versionsOf(tenant, name).at(-1)!)) }))
          return Stream.fromIterable(limit === undefined ? rows : rows.slice(0, limit))
        }),
      remove: (tenant, name, version) =>
        Effect.sync(() => {
          const gone = versionsOf(tenant, name, version)
          if (gone.length === 0) return undefined
          drop(tenant, name, gone)
          return [...new Set(gone.flatMap(({ place }) => ("sha256" in place ? place.sha256 : [])))]
        }),
      references: (tenant, sha256s) =>
        Effect.sync(() => {
          const versions = [...shelves.of(tenant).names.values()].flatMap((name) => [...name.versions.values()])
          const held = new Set(versions.map(({ place }) => ("sha256" in place ? place.sha256 : "")))
          return sha256s.filter((sha256) => held.has(sha256))
        })
    })
  })
)
