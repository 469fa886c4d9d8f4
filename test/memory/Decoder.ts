import { Effect, Layer, Result } from "effect"
import { BadRequest, type Issue } from "../../src/errors/BadRequest.ts"
import { sqlFindings } from "../../src/layers/decoder/Statements.ts"
import { check, conclude, FlowlineDecoder, parse, positionsIn } from "../../src/services/flowlines/Decoder.ts"
import { compared } from "../../src/services/flowlines/versions/Comparison.ts"

const orRefused = <A>(result: Result.Result<A, ReadonlyArray<Issue>>) =>
  Effect.fromResult(
    Result.mapError(result, (issues) => new BadRequest({ detail: "The flowline cannot be run", issues }))
  )

/** Decodes in this process. */
export const layer = Layer.succeed(FlowlineDecoder, {
  parse: (file, _, values) => orRefused(parse(file, values)),
  validate: ({ needs, source, filled }, surroundings) =>
    Effect.flatMap(
      Effect.promise(() => sqlFindings(needs.sql, undefined)),
      (sql) => orRefused(conclude({ needs, source: source!, filled: filled! }, check(filled!, surroundings, sql), sql))
    ),
  positions: (file, pointers) => orRefused(positionsIn(file, pointers)),
  compare: (_, from, to) => Effect.sync(() => JSON.stringify(compared(from, to)))
})
