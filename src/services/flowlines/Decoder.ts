import { Context, type Effect, Result, Schema, type Scope } from "effect"
import type { BadRequest, Issue } from "../../errors/BadRequest.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { readDocument, type SourceDocument } from "../../languages/document/Document.ts"
import type { Position } from "../../languages/document/DocumentSource.ts"
import { pathOf, pointerOf } from "../../languages/document/Pointer.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import { Flowline } from "../../protocol/Flowline.ts"
import type { KeptValues } from "../../protocol/Parameters.ts"
import type { Roots } from "../../protocol/Roots.ts"
import type { NodeDescriptor } from "../scan/Descriptor.ts"
import { ownNodes } from "../scan/OwnNodes.ts"
import type { RunCeilings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { FlowlineFile } from "./FlowlineFile.ts"
import type { FullVersion } from "./FlowlineStore.ts"
import { fieldWarnings } from "./validation/FieldCheck.ts"
import {
  type FilledContent,
  fillReferences,
  type ReferenceValues,
  settled,
  settledResult
} from "./validation/FilledContent.ts"
import { type Finding, valueAt } from "./validation/Finding.ts"
import { type Needs, needsOf, outline } from "./validation/Outline.ts"
import { patternFindings } from "./validation/ParameterCheck.ts"
import { validate } from "./validation/Validation.ts"

/** A flowline file that has been parsed. */
export interface FlowlineDocument {
  readonly needs: Needs
  /** The parsed file; absent when a decoder thread holds it, because it is too large to copy. */
  readonly source?: SourceDocument
  /** Its content with values in place of its references; present with `source`. */
  readonly filled?: FilledContent
}

/** The tenant's data that validation uses, as far as the document needs it. */
export interface Surroundings {
  readonly tenant?: TenantId
  /** The tenant's own nodes. */
  readonly own?: ReadonlyArray<NodeDescriptor>
  /** The tenant's grok patterns. */
  readonly patterns?: TenantDefinitions
  /** The operator's limits for runs. */
  readonly ceilings?: RunCeilings
  /** The roots that the operator gives the tenant. */
  readonly roots?: Roots
  /** The ports that the gateway itself listens on. */
  readonly ownPorts?: ReadonlyArray<number>
}

/** A valid flowline. */
export interface Definition {
  readonly flowline: Flowline
  /** The file's content as JSON text, without defaults, for storage. */
  readonly dag: string
  /** What an execution with these values keeps; absent when the flowline has no parameters and uses no variables. */
  readonly kept?: KeptValues
  /** What is probably a mistake, with its place in the file, and what may keep the flowline from running. */
  readonly warnings: ReadonlyArray<string>
}

/** What the check of a flowline's SQL found: its faults, and the columns of nodes as far as they are known. */
export interface SqlFindings {
  readonly findings: ReadonlyArray<Finding>
  /** By component. */
  readonly columns: Readonly<Record<string, ReadonlyArray<string>>>
}

/** A flowline without SQL. */
export const noSql: SqlFindings = { findings: [], columns: {} }

/** A valid flowline with warnings about what is probably a mistake. */
export interface CheckedFlowline {
  readonly flowline: Flowline
  readonly warnings: ReadonlyArray<Finding>
}

/** Parses, validates and compares flowline files without blocking other requests, however large or unusual the files are. */
export class FlowlineDecoder extends Context.Service<
  FlowlineDecoder,
  {
    /**
     * Parses a file in a turn of its tenant, and puts values in place of its references. The document can be validated
     * until the scope ends. Fails as overloaded when too many files of the tenant are waiting.
     */
    readonly parse: (
      file: FlowlineFile,
      tenant?: TenantId,
      values?: ReferenceValues
    ) => Effect.Effect<FlowlineDocument, BadRequest | Overloaded, Scope.Scope>
    /** Validates a document. Fails with all its faults. */
    readonly validate: (
      document: FlowlineDocument,
      surroundings: Surroundings
    ) => Effect.Effect<Definition, BadRequest | Overloaded>
    /** The positions in a valid file of the values at these JSON pointers, found in a turn of the tenant. */
    readonly positions: (
      file: FlowlineFile,
      pointers: ReadonlyArray<string>,
      tenant?: TenantId
    ) => Effect.Effect<ReadonlyArray<Position>, BadRequest | Overloaded>
    /** Compares two versions in a turn of the tenant. The answer is JSON of `FlowlineComparison`. */
    readonly compare: (tenant: TenantId, from: FullVersion, to: FullVersion) => Effect.Effect<string, Overloaded>
  }
>()("flow/flowlines/FlowlineDecoder") {}

/** A document with its content. */
export type ParsedDocument = Required<FlowlineDocument>

export const parse = (
  file: FlowlineFile,
  values: ReferenceValues = {}
): Result.Result<ParsedDocument, ReadonlyArray<Issue>> =>
  Result.map(readDocument(file), (source) => {
    const filled = fillReferences(source.value, values)
    return { needs: needsOf(outline(filled.value)), source, filled }
  })

/** The positions of the values at these JSON pointers. */
export const positionsIn = (
  file: FlowlineFile,
  pointers: ReadonlyArray<string>
): Result.Result<ReadonlyArray<Position>, ReadonlyArray<Issue>> =>
  Result.map(readDocument(file), (source) => pointers.map((pointer) => source.position(pathOf(pointer))))

const decodeFlowline = Schema.decodeUnknownResult(Flowline)

/** The faults of a document with its values, except those of its SQL; without any, its warnings. */
export const check = (
  filled: FilledContent,
  { own = [], ...surroundings }: Surroundings,
  { columns }: SqlFindings
): Result.Result<CheckedFlowline, ReadonlyArray<Finding>> => {
  const result = settledResult(filled, validate(filled.value, { ...surroundings, own: ownNodes(own) }), decodeFlowline)
  const findings = [...filled.findings, ...patternFindings(filled.matched)]
  if (Result.isFailure(result)) return Result.fail([...findings, ...result.failure])
  if (findings.length > 0) return Result.fail(findings)
  const flowline = result.success
  const { patterns, tenant } = surroundings
  const warnings = fieldWarnings(flowline, { patterns, tenant }, columns, filled.open)
  return Result.succeed({ flowline, warnings })
}

/** Maximum number of issues: more would be repetitive, and a hostile file could cause millions. */
const maxIssues = 200

/** Combines the outcome of a {@link check} with the faults of the SQL. All issues, in the order of the file. */
export const conclude = (
  { source, filled }: ParsedDocument,
  checked: Result.Result<CheckedFlowline, ReadonlyArray<Finding>>,
  { findings }: SqlFindings
): Result.Result<Definition, ReadonlyArray<Issue>> => {
  const sql = settled(findings, filled)
  if (Result.isFailure(checked)) return Result.fail(report([...checked.failure, ...sql], source))
  if (sql.length > 0) return Result.fail(report(sql, source))
  const { flowline, warnings } = checked.success
  const placed = report(warnings, source).map(({ detail, line, column }) =>
    line === undefined ? detail : `line ${line}, column ${column}: ${detail}`
  )
  const { kept } = filled
  return Result.succeed({
    flowline,
    dag: JSON.stringify(source.value),
    warnings: [...filled.warnings, ...placed],
    ...(kept === undefined ? {} : { kept })
  })
}

/** The part of an issue that is about a parameter that an execution gives. */
export const parametersPart = "parameters"

const issueOf = ({ path, detail, key, inside, given }: Finding, source: SourceDocument): Issue => {
  const pointer = pointerOf(path)
  if (given === true) return { part: parametersPart, pointer, detail }
  const text = valueAt(source.value, path)
  if (inside !== undefined && typeof text === "string") {
    return { pointer, detail, ...source.inside(path, text, inside) }
  }
  return { pointer, detail, ...source.position(path, key === true ? "key" : "value") }
}

const report = (findings: ReadonlyArray<Finding>, source: SourceDocument): ReadonlyArray<Issue> => {
  const issues = findings.map((finding) => issueOf(finding, source))
  issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  if (issues.length <= maxIssues) return issues
  return [...issues.slice(0, maxIssues), { detail: `There are ${issues.length - maxIssues} more issues` }]
}
