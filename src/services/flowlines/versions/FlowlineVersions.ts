import { Context, Effect, Layer, type Stream } from "effect"
import type { NotFound } from "../../../errors/NotFound.ts"
import type { Overloaded } from "../../../errors/Overloaded.ts"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import type { FlowlineId } from "../../shared/FlowlineId.ts"
import type { Commit } from "../../shared/idempotency/Commit.ts"
import type { ListRow, ListSpan } from "../../shared/reads/Listing.ts"
import type { TenantId } from "../../shared/Tenant.ts"
import { FlowlineDecoder } from "../Decoder.ts"
import { missingFlowline } from "../FlowlineNames.ts"
import { FlowlineStore, type FullVersion } from "../FlowlineStore.ts"
import { Flowlines, type SavedFlowline } from "../Flowlines.ts"
import { fileOf } from "./VersionTexts.ts"

/** Reads, compares and restores the versions of saved flowlines. */
export class FlowlineVersions extends Context.Service<
  FlowlineVersions,
  {
    /** The versions of a flowline as JSON of `FlowlineVersionEntry`, newest first. */
    readonly list: (
      tenant: TenantId,
      id: FlowlineId
    ) => Effect.Effect<(span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>, NotFound | StorageUnreachable>
    readonly get: (
      tenant: TenantId,
      id: FlowlineId,
      version: number
    ) => Effect.Effect<FullVersion, NotFound | StorageUnreachable>
    /** The changes between two versions, as JSON of `FlowlineComparison`. */
    readonly diff: (
      tenant: TenantId,
      id: FlowlineId,
      from: number,
      to: number
    ) => Effect.Effect<string, NotFound | Overloaded | StorageUnreachable>
    /** Validates the file of a version again and saves it as the next version. */
    readonly restore: (
      tenant: TenantId,
      id: FlowlineId,
      version: number,
      ifMatch?: string,
      commit?: Commit<SavedFlowline>
    ) => ReturnType<Flowlines["Service"]["save"]>
  }
>()("flow/flowlines/FlowlineVersions") {
  static readonly layer = Layer.effect(
    FlowlineVersions,
    Effect.gen(function* () {
      const store = yield* FlowlineStore
      const flowlines = yield* Flowlines
      const decoder = yield* FlowlineDecoder
      const get = Effect.fn("FlowlineVersions.get")(function* (tenant: TenantId, id: FlowlineId, version: number) {
        const found = yield* store.full(tenant, id, version)
        if (found !== undefined) return found
        const known = yield* store.isSaved(tenant, id)
        return yield* missingFlowline(tenant, id, known ? version : undefined)
      })
      return FlowlineVersions.of({
        list: Effect.fn("FlowlineVersions.list")(function* (tenant, id) {
          if (!(yield* store.isSaved(tenant, id))) return yield* missingFlowline(tenant, id)
          return (span: ListSpan) => store.versions(tenant, id, span)
        }),
        get,
        diff: Effect.fn("FlowlineVersions.diff")(function* (tenant, id, from, to) {
          return yield* decoder.compare(tenant, yield* get(tenant, id, from), yield* get(tenant, id, to))
        }),
        restore: Effect.fn("FlowlineVersions.restore")(function* (tenant, id, version, ifMatch, commit) {
          const found = yield* get(tenant, id, version)
          const restores = { version, isMade: found.file === undefined }
          const into = { id, restores, ...(ifMatch === undefined ? {} : { ifMatch }) }
          return yield* flowlines.save(tenant, fileOf(found), into, commit)
        })
      })
    })
  )
}
