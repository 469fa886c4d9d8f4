import { Effect, Layer, Stream } from "effect"
import { isExpected, type Kept, RegistryStore } from "../../src/services/registry/RegistryStore.ts"
import { inOrder, Shelves, timestamp } from "./Resources.ts"

/** The registry in the process's memory: the same behaviour as in PostgreSQL, for tests. */
export const layer = Layer.effect(
  RegistryStore,
  Effect.gen(function* () {
    const shelves = yield* Shelves
    return RegistryStore.of({
      put: (tenant, path, blob, expected, quota) =>
        Effect.map(timestamp, (createdAt): Kept => {
          const shelf = shelves.of(tenant)
          const above = [...shelf.registry.keys()].find((other) => path.startsWith(`${other}/`))
          if (above !== undefined) {
            return { _tag: "Blocked", detail: `${above} is a file, so no path below it can exist` }
          }
          if ([...shelf.registry.keys()].some((other) => other.startsWith(`${path}/`))) {
            return { _tag: "Blocked", detail: `${path} is a folder of other files` }
          }
          const versions = shelf.registry.get(path) ?? []
          if (!isExpected(expected, versions.at(-1)?.sha256)) return { _tag: "Unexpected" }
          const version = (versions.at(-1)?.version ?? 0) + 1
          shelf.registry.set(path, [...versions, { path, version, createdAt, ...blob }])
          const usage = shelf.over(quota)
          if (usage === undefined) return { _tag: "Kept", version, before: versions.at(-1)?.sha256 }
          if (versions.length === 0) shelf.registry.delete(path)
          else shelf.registry.set(path, versions)
          return { _tag: "Over", usage }
        }),
      get: (tenant, path, version) =>
        Effect.sync(() => {
          const versions = shelves.of(tenant).registry.get(path) ?? []
          return version === undefined ? versions.at(-1) : versions.find((one) => one.version === version)
        }),
      remove: (tenant, path, version, seen) =>
        Effect.sync(() => {
          const { registry } = shelves.of(tenant)
          const versions = registry.get(path) ?? []
          const gone = versions.filter((one) => version === undefined || one.version === version)
          const left = versions.filter((one) => !gone.includes(one))
          if (gone.length === 0 || (seen !== undefined && gone.at(-1)?.sha256 !== seen)) return undefined
          if (left.length === 0) registry.delete(path)
          else registry.set(path, left)
          return [...new Set(gone.map(({ sha256 }) => sha256))]
        }),
      list: (tenant, { after, limit }) =>
        Stream.suspend(() => {
          const rows = [...shelves.of(tenant).registry]
            .sort(([a], [b]) => inOrder(a, b))
            .filter(([path]) => after === undefined || inOrder(path, after) > 0)
            .map(([path, versions]) => {
              const { createdAt: updateTime, version, sha256 } = versions.at(-1)!
              const entry = { name: path, updateTime, creationTime: versions[0]!.createdAt, version }
              return { key: path, json: JSON.stringify(entry), sha256 }
            })
          return Stream.fromIterable(limit === undefined ? rows : rows.slice(0, limit))
        }),
      references: (tenant, sha256s) =>
        Effect.sync(() => {
          const held = new Set([...shelves.of(tenant).registry.values()].flat().map(({ sha256 }) => sha256))
          return sha256s.filter((sha256) => held.has(sha256))
        })
    })
  })
)
