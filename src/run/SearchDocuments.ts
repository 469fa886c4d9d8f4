import { Effect, Exit, Layer, Schedule, Scope, Stream } from "effect"
import { Failure } from "../drivers/Failure.ts"
import { Search, type TooManyIndices } from "../drivers/search/Search.ts"
import type { NotFound } from "../errors/NotFound.ts"
import { StorageUnreachable } from "../errors/StorageUnreachable.ts"
import type { Documents } from "../nodes/ports/Documents.ts"
import type { SearchAddress } from "../protocol/Places.ts"
import { budgeted, type IndexUsage, type TenantBudget } from "./TenantBudget.ts"

type Unreadable = NotFound | StorageUnreachable | TooManyIndices

const failure = (error: Unreadable): Failure => {
  if (error._tag === "TooManyIndices") return new Failure(error.detail)
  return error._tag === "NotFound"
    ? new Failure(`There is no index ${error.id} for this tenant, whose indices start with ${error.tenant}-`)
    : new Failure("The search cannot be reached: its database was away for too long")
}

/** How long writes are retried while the database is unreachable. Reads do that themselves. */
const patience = Schedule.min([Schedule.exponential(100), Schedule.spaced(2000)]).pipe(
  Schedule.upTo({ duration: "10 minutes" })
)
const isAway = (error: unknown): boolean => error instanceof StorageUnreachable

/** A tenant's indices for the nodes of a run. */
export const documentsOf = (search: Search["Service"], tenant: string, signal: AbortSignal): Documents => {
  const run = <A>(effect: Effect.Effect<A, Unreadable>) =>
    Effect.runPromise(Effect.mapError(effect, failure), { signal })
  async function* chunks<A>(stream: Stream.Stream<A, Unreadable>): AsyncGenerator<ReadonlyArray<A>> {
    const arrays = Stream.mapArray(stream, (rows) => [rows as ReadonlyArray<A>]).pipe(Stream.mapError(failure))
    for await (const rows of Stream.toAsyncIterable(arrays)) {
      signal.throwIfAborted()
      yield rows
    }
  }
  return {
    indices: (pattern) => run(Effect.retry(search.resolve(tenant, pattern), { while: isAway, schedule: patience })),
    read: (pattern, query, options) =>
      chunks(Stream.map(search.read(tenant, pattern, query, options), ({ source }) => source)),
    rows: (pattern, query, options) => chunks(search.rows(tenant, pattern, query, options)),
    encoded: (pattern, query, options) => chunks(search.encoded(tenant, pattern, query, options)),
    write: (index, documents) =>
      run(Effect.retry(search.write(tenant, index, documents), { while: isAway, schedule: patience }))
  }
}

/** Measures what a tenant's indices hold, as soon as their database answers. */
const measureOf = (search: Search["Service"], tenant: string, signal: AbortSignal) => {
  const indices = Effect.retry(search.indices(tenant), { while: isAway, schedule: patience })
  return async (): Promise<IndexUsage> => {
    const found = await Effect.runPromise(Effect.mapError(indices, failure), { signal })
    const sum = (of: "documents" | "bytes") => found.reduce((total, index) => total + index[of], 0)
    return { documents: sum("documents"), bytes: sum("bytes") }
  }
}

/** Opens the tenant's indices in the process of a run; the connections are closed when `signal` is aborted. */
export const openDocuments = async (
  address: SearchAddress | undefined,
  tenant: string,
  signal: AbortSignal,
  budget: TenantBudget
): Promise<Documents> => {
  if (address === undefined) throw new Failure("This gateway has no search")
  const { layer, SearchConfig } = await import("../drivers/search/PostgresSearch.ts")
  const scope = await Effect.runPromise(Scope.make())
  signal.addEventListener("abort", () => void Effect.runPromise(Scope.close(scope, Exit.void)), { once: true })
  try {
    const built = Layer.buildWithScope(layer.pipe(Layer.provide(Layer.succeed(SearchConfig, address))), scope)
    const search = await Effect.runPromise(Effect.flatMap(built, (context) => Effect.provide(Search, context)))
    return budgeted(documentsOf(search, tenant, signal), budget, measureOf(search, tenant, signal))
  } catch {
    throw new Failure("The search cannot be reached")
  }
}
