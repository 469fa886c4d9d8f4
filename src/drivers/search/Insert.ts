import { randomBytes } from "node:crypto"
import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { collectTypes, type FieldTypes } from "../../languages/query/FieldTypes.ts"
import type { NewDocument, WriteResult } from "../../languages/query/IndexedDocument.ts"
import { type PreparedDocument, prepare } from "../../languages/query/Prepare.ts"
import { sqlState } from "../postgres/SqlState.ts"
import {
  type IndexGone,
  type IndexLimit,
  lockedParts,
  lockIndex,
  makeParts,
  monthOf,
  mostParts,
  openIndex,
  type Part,
  partFor,
  tableOf,
  type WritablePart
} from "./indices/Catalog.ts"
import { typesRecorder } from "./indices/PartTypes.ts"

/** The transaction must be repeated with more: missing parts, or an exclusive lock on the index. */
class Again extends Data.TaggedError("Again")<{ readonly missing: ReadonlyArray<string> }> {}

/**
 * SQLSTATE classes for data that a column cannot store and for documents that are too deep: a document of the batch is
 * at fault.
 */
const unfit = /^(22|54)/

const random = randomBytes(6).toString("hex")
let counter = 0

/** A new unique id. The ids of one process ascend, which keeps the indexes of the tables small. */
const newId = (): string => {
  counter++
  return `${Date.now().toString(36).padStart(9, "0")}${counter.toString(36).padStart(7, "0")}${random}`
}

/** The documents of each part, in the order of the parts. */
const groupsOf = (
  parts: ReadonlyArray<WritablePart>,
  documents: ReadonlyArray<PreparedDocument>,
  most: number | undefined
): ReadonlyMap<WritablePart, ReadonlyArray<PreparedDocument>> => {
  const groups = new Map<WritablePart, Array<PreparedDocument>>(parts.map((part) => [part, []]))
  for (const document of documents) groups.get(partFor(parts, monthOf(document.at), most)!)?.push(document)
  return new Map([...groups].filter(([, group]) => group.length > 0))
}

const insert = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  groups: ReadonlyMap<Part, ReadonlyArray<PreparedDocument>>,
  documents: ReadonlyArray<PreparedDocument>
) {
  for (const [{ part }, group] of groups) {
    yield* sql`
      insert into ${sql(tableOf(part))} (id, ts, doc)
      select * from unnest(
        ${group.map(({ id }) => id)}::text[], ${group.map(({ at }) => at)}::bigint[],
        ${group.map(({ json }) => json)}::text[]::jsonb[])
      on conflict (id) do update set ts = excluded.ts, doc = excluded.doc`
  }
  for (const other of parts) {
    if (parts.length === 1) break
    const moved = documents.filter((document) => document.named && !groups.get(other)?.includes(document))
    if (moved.length > 0) {
      yield* sql`delete from ${sql(tableOf(other.part))} where id = any(${moved.map(({ id }) => id)}::text[])`
    }
  }
})

/** Whether a write needs an exclusive lock: another part may contain a document with the same id. */
const mode = (parts: number, documents: ReadonlyArray<PreparedDocument>) =>
  parts > 1 && documents.some(({ named }) => named) ? "alone" : "shared"

/** The types of the documents of a batch by their month. */
type TypesOfMonths = ReadonlyMap<string, FieldTypes>

type Fault = SqlError | IndexGone | IndexLimit

/** Makes {@link Search.write} on PostgreSQL. */
export const makeWrite = (sql: SqlClient.SqlClient) => {
  /** The number of parts of each index when it was last seen: a guess at the lock that is needed. */
  const seen = new Map<number, number>()
  const record = typesRecorder(sql)

  const store = Effect.fnUntraced(function* (
    tenant: string,
    index: string,
    documents: ReadonlyArray<PreparedDocument>,
    types: TypesOfMonths
  ): Effect.fn.Return<void, Fault> {
    const no = yield* openIndex(sql, tenant, index)
    for (let most: number | undefined; ; ) {
      const held = mode(seen.get(no) ?? 0, documents)
      const tried = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* lockIndex(sql, no, held)
            const parts = yield* lockedParts(sql, tenant, no)
            seen.set(no, parts.length)
            const wanted = [...new Set(documents.map(({ at }) => monthOf(at)))]
            const isWhole = wanted.every((month) => partFor(parts, month))
            most = isWhole ? undefined : yield* mostParts(sql, tenant)
            const missing = wanted.filter((month) => !partFor(parts, month, most))
            if (missing.length > 0 || (held === "shared" && mode(parts.length, documents) === "alone")) {
              return yield* new Again({ missing })
            }
            const groups = groupsOf(parts, documents, most)
            const committed: Array<() => void> = []
            for (const [part, group] of groups) {
              for (const found of new Set(group.map(({ at }) => types.get(monthOf(at))))) {
                if (found !== undefined) committed.push(yield* record(part.part, part.version, found))
              }
            }
            yield* insert(sql, parts, groups, documents)
            return committed
          })
        )
        .pipe(Effect.catchTag("Again", (again) => Effect.succeed(again)))
      if (!("missing" in tried)) {
        for (const done of tried) done()
        return
      }
      if (tried.missing.length > 0) yield* sql.withTransaction(makeParts(sql, tenant, no, tried.missing, most))
    }
  })

  /** Writes all valid documents. When PostgreSQL rejects a batch because of its content, the batch is split in half. */
  const storeFitting = (
    tenant: string,
    index: string,
    documents: ReadonlyArray<PreparedDocument>,
    types: TypesOfMonths
  ): Effect.Effect<WriteResult["rejected"], Fault> =>
    documents.length === 0
      ? Effect.succeed([])
      : store(tenant, index, documents, types).pipe(
          Effect.retry({ while: (error) => error._tag === "IndexGone", times: 3 }),
          Effect.as<WriteResult["rejected"]>([]),
          Effect.catchTag("SqlError", (error) => {
            if (!unfit.test(sqlState(error.reason.cause))) return Effect.fail(error)
            const [only, second] = documents
            if (second === undefined) {
              return Effect.succeed([
                { at: only!.place, reason: "the document is nested too deeply or has a number out of range" }
              ])
            }
            const half = documents.length >> 1
            return Effect.map(
              Effect.all([
                storeFitting(tenant, index, documents.slice(0, half), types),
                storeFitting(tenant, index, documents.slice(half), types)
              ]),
              (rejected) => rejected.flat()
            )
          })
        )

  return Effect.fnUntraced(function* (tenant: string, index: string, documents: ReadonlyArray<NewDocument>) {
    const months = new Map<string, ReturnType<typeof collectTypes>>()
    const { prepared, rejected } = prepare(documents, newId, (document, at) => {
      const month = monthOf(at)
      const types = months.get(month) ?? collectTypes()
      months.set(month, types)
      types.look(document)
    })
    const types = new Map([...months].map(([month, { types }]) => [month, types()]))
    const refused = yield* storeFitting(tenant, index, prepared, types).pipe(
      Effect.catchTag("IndexLimit", ({ reason }) =>
        Effect.succeed<WriteResult["rejected"]>(prepared.map(({ place }) => ({ at: place, reason })))
      )
    )
    const all = [...rejected, ...refused].sort((a, b) => a.at - b.at)
    return { written: documents.length - all.length, rejected: all } satisfies WriteResult
  })
}
