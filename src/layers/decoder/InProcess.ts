import { Effect, Layer, Result } from "effect"
import { BadRequest } from "../../errors/BadRequest.ts"
import { FlowlineDecoder } from "../../services/flowlines/Decoder.ts"
import { decode } from "../../services/flowlines/Definition.ts"
import { mayHoldSql, sqlFindings } from "./Statements.ts"

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
