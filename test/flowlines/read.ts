import { Result } from "effect"
import type { Issue } from "../../src/errors/BadRequest.ts"
import { type Definition, decode } from "../../src/services/flowlines/Definition.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string, name?: string) => decode({ name, bytes: bytes(text) })
/** Decodes what must be right. */
export const definition = (text: string, name?: string): Definition => {
  const result = read(text, name)
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success
}
/** The issues of what must be wrong. */
export const issues = (text: string, name?: string): ReadonlyArray<Issue> => {
  const result = read(text, name)
  if (Result.isSuccess(result)) throw new Error("accepted")
  return result.failure
}
