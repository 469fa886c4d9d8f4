import { type CaptureType, types } from "../../Coercion.ts"
import { fieldPath, refusedSegment } from "../../FieldPath.ts"

/** The meaning of one capturing group of an expression. */
export interface Capture {
  /** The field as written: `client`, `a.b` or `[a][b]`. */
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly type: CaptureType
  /** The grok pattern of the field; absent for an inline `(?<name>…)`. */
  readonly syntax?: string
}

/**
 * Splits a group's full name (`SYNTAX:field:type`, `SYNTAX:field`, or only a field) into a capture. Throws an Error
 * whose message describes the fault.
 */
export const readCapture = (fullName: string, inline: boolean): Capture => {
  const [first, second, third, ...rest] = fullName.split(":")
  const name = second === undefined || second === "" ? first! : second
  if (rest.length > 0) throw new Error(`"${fullName}" has more parts than SYNTAX:field:type`)
  const type = third === undefined || third === "" ? "string" : types.find((known) => known === third)
  if (type === undefined) throw new Error(`unknown type "${third}" (known: ${types.join(", ")})`)
  const path = fieldPath(name)
  const bad = refusedSegment(path)
  if (bad !== undefined) throw new Error(`"${bad}" cannot be a field name`)
  const syntax = inline && second === undefined ? undefined : first!
  return syntax === undefined ? { name, path, type } : { name, path, type, syntax }
}
