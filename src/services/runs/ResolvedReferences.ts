import { Context, Effect, Layer } from "effect"
import { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { type Reference, type ResolvedReference, referenceKey } from "../../protocol/References.ts"
import { ArtifactName, ArtifactVersion, GroupName } from "../artifacts/Artifact.ts"
import { ArtifactStore } from "../artifacts/ArtifactStore.ts"
import { RegistryStore } from "../registry/RegistryStore.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** Resolves references of flowlines to the tenant's registry and artifacts. */
export class References extends Context.Service<
  References,
  {
    /**
     * Resolves to the latest version of a registry path, or to the build of `type:group:artifact:version`. A malformed
     * reference fails with `NotFound` too.
     */
    readonly resolve: (
      tenant: TenantId,
      reference: Reference
    ) => Effect.Effect<ResolvedReference, NotFound | StorageUnreachable>
  }
>()("flow/runs/References") {
  static readonly layer = Layer.effect(
    References,
    Effect.gen(function* () {
      const registry = yield* RegistryStore
      const artifacts = yield* ArtifactStore

      const build = Effect.fnUntraced(function* (tenant: TenantId, coordinates: string) {
        const [type = "", group = "", artifact = "", version = "latest", ...more] = coordinates.split(":")
        if (more.length > 0) return undefined
        const found = yield* artifacts.get(
          tenant,
          GroupName(group),
          ArtifactName(artifact),
          version === "latest" ? undefined : ArtifactVersion(version)
        )
        if (found === undefined) return undefined
        const { file, type: actual } = JSON.parse(found.doc) as { readonly file: string; readonly type: string }
        return actual === type.toUpperCase() ? { sha256: found.sha256, size: found.size, name: file } : undefined
      })

      const file = Effect.fnUntraced(function* (tenant: TenantId, path: string) {
        const found = yield* registry.get(tenant, path)
        return found === undefined ? undefined : { sha256: found.sha256, size: found.size, name: path }
      })

      return References.of({
        resolve: Effect.fn("References.resolve")(function* (tenant, reference) {
          const found =
            "registry" in reference ? yield* file(tenant, reference.registry) : yield* build(tenant, reference.resource)
          return found ?? (yield* new NotFound({ kind: "resource", tenant, id: referenceKey(reference) }))
        })
      })
    })
  )
}
