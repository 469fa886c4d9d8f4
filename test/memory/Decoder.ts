import { Effect, Layer, Result } from "effect"
import { BadRequest } from "../../src/errors/BadRequest.ts"
import { mayHoldSql, sqlFindings } from "../../src/layers/decoder/Statements.ts"
import { FlowlineDecoder } from "../../src/services/flowlines/Decoder.ts"
import { decode } from "../../src/services/flowlines/Definition.ts"

/** Decodes in this process. */
export const layer = Layer.succeed(FlowlineDecoder, {
  decode: (file) =>
    Effect.flatMap(
      Effect.promise(async () => decode(file, mayHoldSql(file) ? await sqlFindings(file) : [])),
      Result.match({
        onSuccess: (definition) => Effect.succeed(definition),
        onFailure: (issues) => Effect.fail(new BadRequest({ detail: "The flowline cannot be run", issues }))
      })
    )
})
