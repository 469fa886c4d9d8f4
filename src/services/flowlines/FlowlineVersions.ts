import { Context, Effect, Layer, Predicate, type Stream } from "effect"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { unifiedDiff } from "../../languages/diff/TextDiff.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import type { Commit } from "../shared/idempotency/Commit.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { FlowlineFile } from "./Decoder.ts"
import { flowlineDiff } from "./FlowlineDiff.ts"
import { missingFlowline } from "./FlowlineNames.ts"
import { FlowlineStore, type FullVersion } from "./FlowlineStore.ts"
import { Flowlines, type SavedFlowline } from "./Flowlines.ts"
import type { FlowlineComparison } from "./VersionModels.ts"

/** Characters of a unified diff. */
const mostChars = 1024 * 1024

/** The definition of a version, as a file. */
const madeFile = ({ id, dag }: FullVersion): FlowlineFile & { readonly name: string } => ({
  name: `${id}.json`,
  bytes: new TextEncoder().encode(`${JSON.stringify(JSON.parse(dag), null, 2)}\n`)
})

/** The file of a version as it was sent, or one that is made of its definition. */
export const fileOf = (version: FullVersion): FlowlineFile => version.file ?? madeFile(version)

/** The text of a file, without a byte order mark. */
export const textOf = ({ bytes }: FlowlineFile): string => new TextDecoder().decode(bytes)

/** The definition of a version. */
export const definitionOf = ({ dag }: FullVersion): Record<PropertyKey, unknown> => {
  const value: unknown = JSON.parse(dag)
  return Predicate.isObject(value) ? value : {}
}

const compared = (from: FullVersion, to: FullVersion): FlowlineComparison => {
  const { added, removed, changed, changes, isCut } = flowlineDiff(definitionOf(from), definitionOf(to))
  // A text as it was sent and one that is made would differ in every line.
  const original = from.file !== undefined && to.file !== undefined
  const side = (version: FullVersion) => {
    const file = original ? fileOf(version) : madeFile(version)
    // A line feed in a name would end the line of the header.
    const name = (file.name ?? version.id).replace(/\p{Cc}/gu, "_")
    return { name: `${name}\tversion ${version.version}`, text: textOf(file) }
  }
  const diff = unifiedDiff(side(from), side(to), mostChars)
  return {
    id: from.id,
    from: from.version,
    to: to.version,
    same: [added, removed, changed, changes].every(({ length }) => length === 0),
    nodes: { added, removed, changed },
    changes,
    text: diff.text,
    original,
    truncated: isCut || diff.isCut
  }
}

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
    readonly diff: (
      tenant: TenantId,
      id: FlowlineId,
      from: number,
      to: number
    ) => Effect.Effect<FlowlineComparison, NotFound | StorageUnreachable>
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
          return compared(yield* get(tenant, id, from), yield* get(tenant, id, to))
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
