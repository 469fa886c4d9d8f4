import { Context, type Effect, Result, type Scope } from "effect"
import type { BadRequest, Issue } from "../../errors/BadRequest.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { readDocument, type SourceDocument } from "../../languages/document/Document.ts"
import { pointerOf } from "../../languages/document/Pointer.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import type { Roots } from "../../protocol/Roots.ts"
import type { NodeDescriptor } from "../scan/Descriptor.ts"
import { ownNodes } from "../scan/OwnNodes.ts"
import type { RunCeilings } from "../shared/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { type Needs, needsOf, outline } from "./Outline.ts"
import { type Finding, validate } from "./Validation.ts"

/** A flowline file as it was sent: YAML, HJSON or JSON, at most 4 MiB. */
export interface FlowlineFile {
  readonly name?: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A flowline file that has been parsed. */
export interface FlowlineDocument {
  readonly needs: Needs
  /** The parsed file; absent when a decoder thread holds it, because it is too large to copy. */
  readonly source?: SourceDocument
}

/** The tenant's data that validation uses, as far as the document needs it. */
export interface Surroundings {
  readonly tenant?: TenantId
  /** The tenant's own nodes. */
  readonly own?: ReadonlyArray<NodeDescriptor>
  /** The tenant's grok patterns. */
  readonly patterns?: TenantDefinitions
  /** What the operator allows a run. */
  readonly ceilings?: RunCeilings
  /** The roots that the operator gives the tenant. */
  readonly roots?: Roots
}

/** A valid flowline. */
export interface Definition {
  readonly flowline: Flowline
  /** The file's content as JSON text, without defaults, for storage. */
  readonly dag: string
}

/** Parses and validates flowline files without blocking other requests, however large or unusual the files are. */
export class FlowlineDecoder extends Context.Service<
  FlowlineDecoder,
  {
    /**
     * Parses a file in a turn of its tenant. The document can be validated until the scope ends. Fails as overloaded
     * when too many files of the tenant are waiting.
     */
    readonly parse: (
      file: FlowlineFile,
      tenant?: TenantId
    ) => Effect.Effect<FlowlineDocument, BadRequest | Overloaded, Scope.Scope>
    /** Validates a document. Fails with all its faults. */
    readonly validate: (
      document: FlowlineDocument,
      surroundings: Surroundings
    ) => Effect.Effect<Definition, BadRequest | Overloaded>
  }
>()("flow/flowlines/FlowlineDecoder") {}

/** A document with its content. */
export type ParsedDocument = Required<FlowlineDocument>

export const parse = (file: FlowlineFile): Result.Result<ParsedDocument, ReadonlyArray<Issue>> =>
  Result.map(readDocument(file), (source) => ({ needs: needsOf(outline(source.value)), source }))

/** The faults of a document's value, except those of its SQL. */
export const check = (value: unknown, { own, patterns, tenant, ceilings, roots }: Surroundings) =>
  validate(value, ownNodes(own ?? []), patterns, tenant, ceilings, roots)

/** Maximum number of issues: more would be repetitive, and a hostile file could cause millions. */
const maxIssues = 200

/** Combines the outcome of a {@link check} with the faults of the SQL. All issues, in the order of the file. */
export const conclude = (
  { source }: ParsedDocument,
  flowline: Result.Result<Flowline, ReadonlyArray<Finding>>,
  sql: ReadonlyArray<Finding>
): Result.Result<Definition, ReadonlyArray<Issue>> => {
  if (Result.isFailure(flowline)) return Result.fail(report([...flowline.failure, ...sql], source))
  if (sql.length > 0) return Result.fail(report(sql, source))
  return Result.succeed({ flowline: flowline.success, dag: JSON.stringify(source.value) })
}

const textAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value)

const report = (findings: ReadonlyArray<Finding>, source: SourceDocument): ReadonlyArray<Issue> => {
  const issues = findings.map(({ path, detail, key, inside }): Issue => {
    const pointer = pointerOf(path)
    const text = inside === undefined ? undefined : textAt(source.value, path)
    const position =
      inside !== undefined && typeof text === "string"
        ? source.inside(path, text, inside)
        : source.position(path, key === true ? "key" : "value")
    return { pointer, detail, ...position }
  })
  issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  if (issues.length <= maxIssues) return issues
  return [...issues.slice(0, maxIssues), { detail: `There are ${issues.length - maxIssues} more issues` }]
}
