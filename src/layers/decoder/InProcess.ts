import { Effect, Layer, Result } from "effect"
import { BadRequest } from "../../errors/BadRequest.ts"
import { FlowlineDecoder } from "../../services/flowlines/Decoder.ts"
import { decode } from "../../services/flowlines/Definition.ts"

/** Decodes in this process. */
export const layer = Layer.succeed(FlowlineDecoder, {
  decode: (file) =>
    Effect.suspend(() =>
      Result.match(decode(file), {
        onSuccess: (definition) => Effect.succeed(definition),
        onFailure: (issues) => Effect.fail(new BadRequest({ detail: "The flowline cannot be run", issues }))
      })
    )
})
