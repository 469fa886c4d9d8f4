import { Effect, Result } from "effect"
import type { Issue } from "../../src/errors/BadRequest.ts"
import {
  check,
  conclude,
  type Definition,
  FlowlineDecoder,
  noSql,
  parse,
  type Surroundings
} from "../../src/services/flowlines/Decoder.ts"
import type { FlowlineFile } from "../../src/services/flowlines/FlowlineFile.ts"

/** Parses and validates a file, without its SQL. */
export const decode = (
  file: FlowlineFile,
  surroundings: Surroundings = {}
): Result.Result<Definition, ReadonlyArray<Issue>> =>
  Result.flatMap(parse(file), (document) => conclude(document, check(document.filled, surroundings, noSql), noSql))

/** Parses and validates a file as the layer's decoder does. */
export const decodeThere = Effect.fnUntraced(
  function* (file: FlowlineFile, surroundings: Surroundings = {}) {
    const decoder = yield* FlowlineDecoder
    return yield* decoder.validate(yield* decoder.parse(file, surroundings.tenant), surroundings)
  },
  Effect.scoped,
  Effect.catchTag("Overloaded", Effect.die)
)

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string, name?: string) => decode({ ...(name === undefined ? {} : { name }), bytes: bytes(text) })
/** Decodes a valid flowline. */
export const definition = (text: string, name?: string): Definition => {
  const result = read(text, name)
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success
}
/** The issues of an invalid flowline. */
export const issues = (text: string, name?: string): ReadonlyArray<Issue> => {
  const result = read(text, name)
  if (Result.isSuccess(result)) throw new Error("accepted")
  return result.failure
}
