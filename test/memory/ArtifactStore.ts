import { Effect, Layer, Stream } from "effect"
import { matchesWildcard } from "../../src/languages/Wildcard.ts"
import type { ArtifactName, ArtifactVersion, GroupName } from "../../src/services/artifacts/Artifact.ts"
import { ArtifactStore, type Put } from "../../src/services/artifacts/ArtifactStore.ts"
import { versionKey } from "../../src/services/artifacts/VersionKey.ts"
import { AuditStore } from "../../src/services/audit/AuditStore.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"
import { inOrder, Shelves, timestamp } from "./Resources.ts"

const keyOf = (group: GroupName, artifact: ArtifactName, version: ArtifactVersion) =>
  `${group}\t${artifact}\t${versionKey(version)}`

/** Artifacts in the process's memory: the same behaviour as in PostgreSQL, for tests. */
export const layer = Layer.effect(
  ArtifactStore,
  Effect.gen(function* () {
    const shelves = yield* Shelves
    const audit = yield* AuditStore
    const versionsOf = (tenant: TenantId, group: GroupName, artifact: ArtifactName) =>
      [...shelves.of(tenant).artifacts]
        .filter(([key]) => key.startsWith(`${group}\t${artifact}\t`))
        .sort(([a], [b]) => inOrder(a, b))
    return ArtifactStore.of({
      put: (tenant, artifact, quota, entry) =>
        Effect.map(timestamp, (createdAt): Put => {
          const shelf = shelves.of(tenant)
          const key = keyOf(artifact.group, artifact.artifact, artifact.version)
          const known = shelf.artifacts.get(key)
          if (known !== undefined) {
            const isSame = known.sha256 === artifact.sha256 && known.described === artifact.described
            return isSame ? { _tag: "Repeated", artifact: known } : { _tag: "Different" }
          }
          shelf.artifacts.set(key, artifact)
          const usage = shelf.over(quota)
          if (usage !== undefined) {
            shelf.artifacts.delete(key)
            return { _tag: "Over", usage }
          }
          const name = shelf.name(artifact.stored)
          const version = ++name.last
          const { sha256, size } = artifact
          const origin = `${artifact.group}:${artifact.artifact}:${artifact.version}`
          const place = { sha256 }
          name.versions.set(version, {
            name: artifact.stored,
            version,
            place,
            size,
            embedded: false,
            createdAt,
            origin
          })
          return { _tag: "Stored", artifact }
        }).pipe(Effect.tap(({ _tag }) => (_tag === "Stored" ? audit.append(tenant, [entry]) : Effect.void))),
      get: (tenant, group, artifact, version) =>
        Effect.sync(() =>
          version === undefined
            ? versionsOf(tenant, group, artifact).at(-1)?.[1]
            : shelves.of(tenant).artifacts.get(keyOf(group, artifact, version))
        ),
      list: (tenant, filter, { after, limit }) =>
        Stream.suspend(() => {
          const all = [...shelves.of(tenant).artifacts].sort(([a], [b]) => inOrder(a, b))
          const nameOf = (key: string) => key.slice(0, key.lastIndexOf("\t"))
          const shown = filter.all ? all : all.filter(([key], at) => nameOf(all[at + 1]?.[0] ?? "\t") !== nameOf(key))
          const rows = shown
            .filter(([, it]) => matchesWildcard(filter.group ?? "*", it.group))
            .filter(([, it]) => matchesWildcard(filter.artifact ?? "*", it.artifact))
            .filter(([, it]) => filter.type === undefined || it.type === filter.type)
            .filter(([key]) => after === undefined || inOrder(key, after) > 0)
            .map(([key, { doc, sha256 }]) => ({ key, json: doc, sha256 }))
          return Stream.fromIterable(limit === undefined ? rows : rows.slice(0, limit))
        }),
      builds: (tenant, type, limit) =>
        Effect.sync(() => {
          const all = [...shelves.of(tenant).artifacts].sort(([a], [b]) => inOrder(a, b))
          const nameOf = (key: string) => key.slice(0, key.lastIndexOf("\t"))
          return all
            .filter(([key, it], at) => nameOf(all[at + 1]?.[0] ?? "\t") !== nameOf(key) && it.type === type)
            .slice(0, limit)
            .map(([, { group, artifact, version, sha256, size }]) => ({ group, artifact, version, sha256, size }))
        }),
      remove: (tenant, group, artifact, versions) =>
        Effect.sync(() => {
          const shelf = shelves.of(tenant)
          const known = versionsOf(tenant, group, artifact)
          const there = new Set(known.map(([, it]) => it.version))
          const missing = [...new Set(versions)].filter((version) => !there.has(version))
          if (there.size === 0) return { _tag: "Missing", versions: [] }
          if (missing.length > 0) return { _tag: "Missing", versions: missing }
          const chosen = known.filter(([, it]) => versions === undefined || versions.includes(it.version))
          for (const [key, it] of chosen) {
            shelf.artifacts.delete(key)
            const origin = `${group}:${artifact}:${it.version}`
            for (const [name, { versions: kept }] of shelf.names) {
              for (const [number, stored] of kept) if (stored.origin === origin) kept.delete(number)
              if (kept.size === 0) shelf.names.delete(name)
            }
          }
          return { _tag: "Removed", sha256s: [...new Set(chosen.map(([, { sha256 }]) => sha256))] }
        }),
      references: (tenant, sha256s) =>
        Effect.sync(() => {
          const held = new Set([...shelves.of(tenant).artifacts.values()].map(({ sha256 }) => sha256))
          return sha256s.filter((sha256) => held.has(sha256))
        })
    })
  })
)
