import { Schema } from "effect"
import { isIndexOf } from "../../languages/query/IndexName.ts"
import { runtimes } from "../../protocol/Flowline.ts"
import { type Batch, type Emit, errors, node } from "../Node.ts"
import type { DocumentRecord } from "../ports/Documents.ts"
import { Failures } from "../records/Failures.ts"
import { DocumentWriter } from "./DocumentWriter.ts"

/** A value as a document id; undefined when it cannot be one. */
const idOf = (value: unknown): string | undefined => {
  if (typeof value === "string" && value !== "") return value
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined
}

export const searchOutput = node({
  type: "search_output",
  kind: "output",
  description:
    "Writes the records to an index, where they can be searched. A document replaces an earlier one with the same id. " +
    "Without `id_field`, ids are derived from the record's position in the run, so a repeated attempt writes the same " +
    "documents if its inputs give the same records. Records that cannot be stored go to `errors`.",
  runtimes,
  settings: Schema.Struct({
    index: Schema.String.check(
      Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]*-[a-z0-9_][a-z0-9._-]*$/u, {
        expected: 'an index: the tenant, "-", and lower-case letters, digits, ".", "_" or "-"'
      }),
      Schema.isMaxLength(200)
    ).annotate({
      description:
        "Index to write, `<tenant>-…` in lower-case letters, digits, `.`, `_` and `-`; created if it does not exist."
    }),
    id_field: Schema.optionalKey(
      Schema.NonEmptyString.annotate({
        description: "Field with the document's id: a string, a number or a boolean. It stays in the document."
      })
    )
  }),
  inputs: { min: 1, max: 100 },
  outputs: [errors],
  example: { index: "mytenant-access-2026.11", id_field: "request_id" },
  needs: ["search"],
  check: ({ index }, { tenant }) =>
    tenant === undefined || isIndexOf(tenant, index)
      ? []
      : [
          {
            path: ["index"],
            detail: `Expected an index of this tenant: ${tenant}- followed by lower-case letters, digits, ".", "_" and "-"`
          }
        ],
  fields: ({ id_field }) => ({
    isWhole: true,
    reads: id_field === undefined ? [] : [{ name: id_field, path: ["id_field"] }]
  }),
  start: async ({ index, id_field }, context) => {
    const { documents } = context
    if (documents === undefined) throw new Error("This gateway has no search")
    // Refuses an index of another tenant before anything is read.
    await documents.write(index, [])
    const failures = new Failures(context)
    const run = context.runId ?? crypto.randomUUID()
    let count = 0
    const writer = new DocumentWriter(documents, index, ({ source }, reason) => failures.add(source, reason))
    const documentsOf = (batch: Batch): ReadonlyArray<DocumentRecord> =>
      batch.flatMap((event) => {
        const id =
          id_field === undefined
            ? `${run}.${context.component}.${String(++count).padStart(10, "0")}`
            : idOf(Object.hasOwn(event, id_field) ? event[id_field] : undefined)
        if (id !== undefined) return [{ id, source: event }]
        failures.add(event, `the field ${id_field} is missing or not a valid id`)
        return []
      })
    const flush = async (emit: Emit): Promise<void> => {
      await writer.flush()
      await failures.send(emit)
    }
    return {
      process: async (batch, emit) => {
        await writer.add(documentsOf(batch))
        await failures.send(emit)
      },
      flush,
      end: flush
    }
  }
})
