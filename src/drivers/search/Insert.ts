import { randomBytes } from "node:crypto"
import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { NewDocument, Written } from "../../languages/query/IndexedDocument.ts"
import { type Prepared, prepare } from "../../languages/query/Prepare.ts"
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
  tableOf
} from "./Catalog.ts"

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

const insert = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  documents: ReadonlyArray<Prepared>,
  most: number | undefined
) {
  const groups = new Map<Part, Array<Prepared>>()
  for (const document of documents) {
    const part = partFor(parts, monthOf(document.at), most)!
    const group = groups.get(part)
    if (group === undefined) groups.set(part, [document])
    else group.push(document)
  }
  for (const [{ part }, group] of groups) {
    yield* sql`
      insert into ${sql(tableOf(part))} (id, ts, doc)
      select * from unnest(
        ${group.map(({ id }) => id)}::text[], ${group.map(({ at }) => at)}::bigint[],
        ${group.map(({ json }) => json)}::text[]::jsonb[])
      on conflict (id) do update set ts = excluded.ts, doc = excluded.doc`
  }
  for (const other of parts) {
    const moved = documents.filter((document) => document.named && !groups.get(other)?.includes(document))
    if (parts.length > 1 && moved.length > 0) {
      yield* sql`delete from ${sql(tableOf(other.part))} where id = any(${moved.map(({ id }) => id)}::text[])`
    }
  }
})

/** Whether a write needs an exclusive lock: another part may contain a document with the same id. */
const mode = (parts: number, documents: ReadonlyArray<Prepared>) =>
  parts > 1 && documents.some(({ named }) => named) ? "alone" : "shared"

type Fault = SqlError | IndexGone | IndexLimit

export const makeWrite = (sql: SqlClient.SqlClient) => {
  /** The number of parts of each index when it was last seen: a guess at the lock that is needed. */
  const seen = new Map<number, number>()

  const store = Effect.fnUntraced(function* (
    tenant: string,
    index: string,
    documents: ReadonlyArray<Prepared>
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
            yield* insert(sql, parts, documents, most)
          })
        )
        .pipe(
          Effect.as(undefined),
          Effect.catchTag("Again", (again) => Effect.succeed(again))
        )
      if (tried === undefined) return
      if (tried.missing.length > 0) yield* sql.withTransaction(makeParts(sql, tenant, no, tried.missing, most))
    }
  })

  /** Writes all valid documents. When PostgreSQL rejects a batch because of its content, the batch is split in half. */
  const storeFitting = (
    tenant: string,
    index: string,
    documents: ReadonlyArray<Prepared>
  ): Effect.Effect<Written["rejected"], Fault> =>
    documents.length === 0
      ? Effect.succeed([])
      : store(tenant, index, documents).pipe(
          Effect.retry({ while: (error) => error._tag === "IndexGone", times: 3 }),
          Effect.as<Written["rejected"]>([]),
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
                storeFitting(tenant, index, documents.slice(0, half)),
                storeFitting(tenant, index, documents.slice(half))
              ]),
              (rejected) => rejected.flat()
            )
          })
        )

  return Effect.fnUntraced(function* (tenant: string, index: string, documents: ReadonlyArray<NewDocument>) {
    const { prepared, rejected } = prepare(documents, newId)
    const refused = yield* storeFitting(tenant, index, prepared).pipe(
      Effect.catchTag("IndexLimit", ({ reason }) =>
        Effect.succeed<Written["rejected"]>(prepared.map(({ place }) => ({ at: place, reason })))
      )
    )
    const all = [...rejected, ...refused].sort((a, b) => a.at - b.at)
    return { written: documents.length - all.length, rejected: all } satisfies Written
  })
}
