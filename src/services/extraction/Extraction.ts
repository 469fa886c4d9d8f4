import { Clock, Context, Effect, Layer, Predicate, Schema } from "effect"
import { Search } from "../../drivers/search/Search.ts"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import type { Conflict } from "../../errors/Conflict.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import type { QueueFull } from "../../errors/QueueFull.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { isFormat } from "../../languages/query/DateMath.ts"
import { parseQuery } from "../../languages/query/QueryParser.ts"
import { searchInput } from "../../nodes/inputs/SearchInput.ts"
import { extractionOutput } from "../../nodes/outputs/ExtractionOutput.ts"
import { dates, isDate } from "../../nodes/outputs/extraction/CsvCell.ts"
import { withoutReferences } from "../../protocol/EscapedReferences.ts"
import { Executions } from "../executions/Executions.ts"
import { indexOf } from "../flowlines/FlowlineNames.ts"
import { Flowlines } from "../flowlines/Flowlines.ts"
import type { StartedExecution } from "../flowlines/Starter.ts"
import type { Commit } from "../shared/idempotency/Commit.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { issuesOf } from "../shared/requests/SchemaIssues.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { ExtractionRequest, type ExtractionStarted } from "./ExtractionRequest.ts"

const refuse = (issues: ReadonlyArray<Issue>) => new BadRequest({ detail: "The extraction request is invalid", issues })

const fault = (pointer: string, detail: string): Issue => ({ part: "body", pointer, detail })

/** The faults that the schema cannot detect, in each member that is what the schema expects. */
const faultsOf = (body: unknown, tenant: TenantId, now: number): ReadonlyArray<Issue> => {
  if (!Predicate.isObject(body)) return []
  const issues: Array<Issue> = []
  if (typeof body["tenant"] === "string" && body["tenant"] !== tenant) {
    issues.push(fault("/tenant", "The tenant differs from the tenant in the path"))
  }
  const query = Predicate.isObject(body["filters"]) ? parseQuery(body["filters"], now, "/filters") : undefined
  if (query?._tag === "Failure") issues.push(...query.failure.map((issue) => ({ part: "body", ...issue })))
  if (typeof body["time_zone"] === "string" && dates(body["time_zone"]) === undefined) {
    issues.push(fault("/time_zone", "Unknown time zone"))
  }
  const fields: ReadonlyArray<unknown> = Array.isArray(body["fields"]) ? body["fields"] : []
  for (const [at, field] of fields.entries()) {
    if (!Predicate.isObject(field) || typeof field["type"] !== "string" || !isDate(field["type"])) continue
    const { format } = field
    if (format === undefined || (typeof format === "string" && isFormat(format))) continue
    issues.push(fault(`/fields/${at}/format`, "Expected a date format, such as dd/MM/yyyy HH:mm or epoch_millis"))
  }
  return issues
}

const decode = Schema.decodeUnknownEffect(ExtractionRequest, strict)

/** Decodes the request for an extraction, or names all its faults. */
export const readExtraction = Effect.fnUntraced(function* (tenant: TenantId, body: unknown) {
  const faults = faultsOf(body, tenant, yield* Clock.currentTimeMillis)
  const request = yield* Effect.mapError(decode(body), (error) => refuse([...issuesOf(error, "body"), ...faults]))
  return faults.length === 0 ? request : yield* refuse(faults)
})

/** The flowline of an extraction, in the form that a user would write. A request has no references, only texts. */
const flowlineOf = ({ description, ...request }: ExtractionRequest) => {
  const { format, index, fields = [], filters = {}, time_zone } = withoutReferences(request)
  const names = [...new Set(fields.map(({ name }) => name))]
  const columns = fields.map(({ name, type, format }) => ({
    name,
    ...(typeof type === "string" ? { type } : {}),
    ...(isDate(type) && typeof format === "string" ? { format } : {})
  }))
  const isTable = format === "csv" && names.length > 0
  const read = { ...(names.length === 0 ? {} : { fields: names }), values: isTable ? "text" : "exact" }
  return {
    version: "1.0",
    type: "flowline",
    name: "extraction",
    ...(description === undefined ? {} : { description }),
    runtime: "stream",
    dag: [
      {
        type: searchInput.type,
        settings: { index, query: filters, ...read, count: true },
        publish: [{ stream: "documents" }]
      },
      {
        type: extractionOutput.type,
        settings: {
          format,
          index,
          query: filters,
          ...(columns.length === 0 ? {} : { fields: columns }),
          ...(time_zone === undefined ? {} : { time_zone })
        },
        subscribe: [{ component: searchInput.type, stream: "documents" }]
      }
    ]
  }
}

/** The answer to a started extraction. */
export const startedOf = (tenant: TenantId, { id, flowlineId }: StartedExecution): ExtractionStarted => ({
  index: indexOf(tenant),
  id: flowlineId,
  tenant,
  execution: id,
  archive: id
})

/**
 * Extractions are flowlines that read an index into an archive. They are executed immediately, and can be executed
 * again for as long as an execution of them is kept.
 */
export class Extraction extends Context.Service<
  Extraction,
  {
    readonly extract: (
      tenant: TenantId,
      body: unknown,
      commit?: Commit<StartedExecution>
    ) => Effect.Effect<StartedExecution, BadRequest | Conflict | NotFound | Overloaded | QueueFull | StorageUnreachable>
  }
>()("flow/extraction/Extraction") {
  static readonly layer = Layer.effect(
    Extraction,
    Effect.gen(function* () {
      const flowlines = yield* Flowlines
      const executions = yield* Executions
      const search = yield* Search
      return Extraction.of({
        extract: Effect.fn("Extraction.extract")(function* (tenant, body, commit) {
          const request = yield* readExtraction(tenant, body)
          // Fail now when the index does not exist, instead of later in the execution.
          yield* search.resolve(tenant, request.index)
          yield* executions.admit(tenant)
          const bytes = new TextEncoder().encode(JSON.stringify(flowlineOf(request)))
          const flowline = yield* flowlines.draft(tenant, { name: "extraction.json", bytes }, "once")
          return yield* executions.start(tenant, "extraction.extract", flowline, commit)
        })
      })
    })
  )
}
