import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { BadRequest } from "../../errors/BadRequest.ts"
import { DirectoryRead } from "../../errors/DirectoryRead.ts"
import { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { fileKey, ownRoots, placeOf } from "../../protocol/Roots.ts"
import { Audit } from "../audit/Audit.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import { rootFault } from "../shared/settings/RootRules.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { RootEntry } from "./RunFile.ts"
import { type Absence, type OpenRunFile, type Place, RunFileStore } from "./RunFileStore.ts"

type Refusal = BadRequest | StorageUnreachable
type FileRefusal = Refusal | DirectoryRead | NotFound

/** The files that runs have written, in the data area or in a root that is writable. `root` is the data area by default. */
export class RunFiles extends Context.Service<
  RunFiles,
  {
    /** The folders that nodes of the tenant's flowlines can name, ordered by name. */
    readonly roots: (tenant: TenantId) => ReadonlyArray<RootEntry>
    readonly list: (tenant: TenantId, root: string | undefined, span: ListSpan) => Stream.Stream<ListRow, Refusal>
    readonly open: (
      tenant: TenantId,
      root: string | undefined,
      path: string
    ) => Effect.Effect<OpenRunFile, FileRefusal, Scope.Scope>
    readonly remove: (tenant: TenantId, root: string | undefined, path: string) => Effect.Effect<void, FileRefusal>
  }
>()("flow/files/RunFiles") {
  static readonly layer = Layer.effect(
    RunFiles,
    Effect.gen(function* () {
      const store = yield* RunFileStore
      const rules = yield* TenantRules
      const audit = yield* Audit

      const faulty = (detail: string) =>
        new BadRequest({ detail: "The query is invalid", issues: [{ part: "query", pointer: "/root", detail }] })

      const placeIn = (tenant: TenantId, name: string | undefined): Effect.Effect<Place, BadRequest> => {
        if (name === undefined || name === ownRoots.data) return Effect.succeed({ tenant, root: undefined })
        if (name === ownRoots.conf) {
          return faulty("The configuration folder holds nothing of runs; GET /v1/{tenant}/conf reads it")
        }
        const known = rules.rootsOf(tenant)
        const fault = rootFault({ name, writes: true }, known)
        return fault === undefined ? Effect.succeed({ tenant, root: known[name] }) : faulty(fault)
      }

      const refused = (absence: Absence, tenant: TenantId, root: string | undefined, path: string) => {
        if (absence === "directory") return new DirectoryRead({ tenant, path })
        const place = placeOf(root ?? ownRoots.data)
        const detail =
          absence === "outside"
            ? `"${path}" is a link, or lies behind one, that leads out of ${place}`
            : `There is no file "${path}" in ${place}`
        return new NotFound({ kind: "file", tenant, id: path, detail })
      }

      return RunFiles.of({
        roots: (tenant) =>
          [
            ...Object.entries(rules.rootsOf(tenant)).map(([name, { writable }]) => ({ name, writable })),
            { name: ownRoots.conf, writable: false },
            { name: ownRoots.data, writable: true }
          ].sort((one, other) => (one.name < other.name ? -1 : 1)),
        list: (tenant, root, span) =>
          Stream.unwrap(
            Effect.map(placeIn(tenant, root), (place) =>
              Stream.map(store.list(place, span), (file): ListRow => ({ key: file.path, json: JSON.stringify(file) }))
            )
          ),
        open: Effect.fn("RunFiles.open")(function* (tenant, root, path) {
          const file = yield* store.open(yield* placeIn(tenant, root), path)
          return typeof file === "string" ? yield* refused(file, tenant, root, path) : file
        }),
        remove: Effect.fn("RunFiles.remove")(function* (tenant, root, path) {
          const place = yield* placeIn(tenant, root)
          const absence = yield* store.absence(place, path)
          if (absence !== undefined) return yield* refused(absence, tenant, root, path)
          yield* audit.begin({ tenant, action: "files.remove", target: fileKey(root, path) })
          const gone = yield* store.remove(place, path)
          if (gone !== undefined) return yield* refused(gone, tenant, root, path)
        })
      })
    })
  )
}
