import { Result } from "effect"
import type { Issue } from "../../errors/BadRequest.ts"
import { pointerOf, readDocument, type SourceDocument, type SourceFile } from "../../languages/document/Document.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import type { NodeDescriptor } from "../scan/Descriptor.ts"
import { ownNodes } from "../scan/OwnNodes.ts"
import { type Finding, validate } from "./Validation.ts"

/** A flowline that can run: nothing that is known before a run is wrong with it. */
export interface Definition {
  readonly flowline: Flowline
  /** The value as JSON text, for storage. */
  readonly dag: string
  /** What the file says, without defaults. */
  readonly value: Record<string, unknown>
}

/** More would only repeat themselves, and a hostile file could make millions. */
const maxIssues = 200

/**
 * Reads and validates a flowline file (YAML, HJSON or JSON, at most 4 MiB). All issues, in the order of the file;
 * `more` are those that somebody else found in its value.
 */
export const decode = (
  file: SourceFile & {
    readonly tenant?: string
    readonly own?: ReadonlyArray<NodeDescriptor>
    readonly patterns?: TenantDefinitions
  },
  more: ReadonlyArray<Finding> = []
): Result.Result<Definition, ReadonlyArray<Issue>> => {
  const document = readDocument(file)
  if (Result.isFailure(document)) return Result.fail(document.failure)
  const { value } = document.success
  const flowline = validate(value, ownNodes(file.own ?? []), file.patterns, file.tenant)
  const findings = [...(Result.isFailure(flowline) ? flowline.failure : []), ...more]
  if (Result.isFailure(flowline) || findings.length > 0) {
    return Result.fail(report(findings, value, document.success))
  }
  return Result.succeed({ flowline: flowline.success, dag: JSON.stringify(value), value })
}

const textAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value)

const report = (findings: ReadonlyArray<Finding>, value: unknown, document: SourceDocument): ReadonlyArray<Issue> => {
  const issues = findings.map(({ path, detail, key, inside }): Issue => {
    const pointer = pointerOf(path)
    const text = inside === undefined ? undefined : textAt(value, path)
    const position =
      inside !== undefined && typeof text === "string"
        ? document.inside(path, text, inside)
        : document.position(path, key === true ? "key" : "value")
    return { pointer, detail, ...position }
  })
  issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  if (issues.length <= maxIssues) return issues
  return [...issues.slice(0, maxIssues), { detail: `There are ${issues.length - maxIssues} more issues` }]
}
