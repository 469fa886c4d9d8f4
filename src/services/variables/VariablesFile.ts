import { Effect, Result, Schema } from "effect"
import type { Issue } from "../../errors/BadRequest.ts"
import { readDocument, type SourceFile } from "../../languages/document/Document.ts"
import { pointerOf } from "../../languages/document/Pointer.ts"
import { type SchemaFault, schemaFaults } from "../../languages/SchemaFaults.ts"
import { referableName, type Values } from "../../protocol/Parameters.ts"
import { strict } from "../shared/requests/RequestProblems.ts"

/** Maximum size of a tenant's variables, in bytes. */
export const variableBytes = 256 * 1024

const Variables = Schema.Record(Schema.String, Schema.Unknown)
const VariablesFile = Schema.Struct({
  variables: Variables.pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  environments: Schema.Record(Schema.String, Variables).pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))
})
const decodeFile = Schema.decodeUnknownResult(VariablesFile, strict)

const faultsOf = (path: ReadonlyArray<string>, variables: Values): ReadonlyArray<SchemaFault> =>
  Object.entries(variables).flatMap(([name, value]): ReadonlyArray<SchemaFault> => {
    const at = [...path, name]
    if (!referableName.test(name)) {
      const detail = "The name of a variable is a letter and at most 63 letters, digits and _"
      return [{ path: at, detail, key: true }]
    }
    return value === null ? [{ path: at, detail: "A variable needs a value" }] : []
  })

/** The variables of a file (YAML, HJSON or JSON) in an environment, or all its faults, in the order of the file. */
export const readVariables = (
  file: SourceFile,
  environment: string | undefined
): Result.Result<Values, ReadonlyArray<Issue>> => {
  const document = readDocument(file, { maxTokens: 40_000 })
  if (Result.isFailure(document)) return Result.fail(document.failure)
  const decoded = decodeFile(document.success.value ?? {})
  const faults = Result.isFailure(decoded)
    ? schemaFaults(decoded.failure.issue)
    : [
        ...faultsOf(["variables"], decoded.success.variables),
        ...Object.entries(decoded.success.environments).flatMap(([name, own]) => faultsOf(["environments", name], own))
      ]
  if (faults.length === 0 && Result.isSuccess(decoded)) {
    const { variables, environments } = decoded.success
    const own = environment !== undefined && Object.hasOwn(environments, environment) ? environments[environment] : {}
    return Result.succeed({ ...variables, ...own })
  }
  const issues = faults.map(({ path, detail, key }): Issue => {
    const position = document.success.position(path, key === true ? "key" : "value")
    return { pointer: pointerOf(path), detail, ...position }
  })
  return Result.fail(issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)))
}
