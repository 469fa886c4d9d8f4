import { Clock, Context, Effect, Layer } from "effect"
import type { NewArtifact } from "../../src/services/artifacts/ArtifactStore.ts"
import { isOver, type Quota, type Usage } from "../../src/services/blobs/Quota.ts"
import type { RegistryVersion } from "../../src/services/registry/RegistryStore.ts"
import type { StoredVersion } from "../../src/services/resources/ResourceStore.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"

/** A stored version, and the artifact version that it came with. */
export interface Kept extends StoredVersion {
  readonly origin?: string
}

export interface Name {
  last: number
  readonly versions: Map<number, Kept>
}

/** Everything that a tenant has stored. */
export class Shelf {
  /** By group, artifact and the version's sort key. */
  readonly artifacts = new Map<string, NewArtifact>()
  readonly names = new Map<string, Name>()
  readonly registry = new Map<string, Array<RegistryVersion>>()
  /** The sizes of the versions of saved flowlines, by id. */
  readonly flowlines = new Map<string, ReadonlyArray<number>>()

  name(name: string): Name {
    const known = this.names.get(name) ?? { last: 0, versions: new Map() }
    this.names.set(name, known)
    return known
  }

  usage(): Usage {
    const sizes = [
      ...[...this.artifacts.values()].map(({ size }) => size),
      ...[...this.names.values()].flatMap(({ versions }) =>
        [...versions.values()].flatMap(({ origin, place, size }) =>
          origin === undefined && "sha256" in place ? [size] : []
        )
      ),
      ...[...this.registry.values()].flat().map(({ size }) => size),
      ...[...this.flowlines.values()].flat()
    ]
    return { bytes: sizes.reduce((sum, size) => sum + size, 0), entries: sizes.length }
  }

  /** The usage when it is beyond the quota. */
  over(quota: Quota): Usage | undefined {
    const usage = this.usage()
    return isOver(usage, quota) ? usage : undefined
  }
}

/** What all tenants have stored, in this process's memory. */
export class Shelves extends Context.Service<Shelves, { readonly of: (tenant: TenantId) => Shelf }>()(
  "flow/memory/Shelves"
) {
  static readonly layer = Layer.sync(Shelves, () => {
    const shelves = new Map<string, Shelf>()
    return Shelves.of({
      of: (tenant) => {
        const shelf = shelves.get(tenant) ?? new Shelf()
        shelves.set(tenant, shelf)
        return shelf
      }
    })
  })
}

export const timestamp = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

/** Order of bytes, as PostgreSQL has it. */
export const inOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
