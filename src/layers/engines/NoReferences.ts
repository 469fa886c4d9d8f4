import { Effect, Layer } from "effect"
import { NotFound } from "../../errors/NotFound.ts"
import { References, referenceKey } from "../../services/engines/References.ts"

/** For a gateway without a registry: no reference names anything. */
export const layer = Layer.succeed(References, {
  resolve: (tenant, reference) => Effect.fail(new NotFound({ kind: "resource", tenant, id: referenceKey(reference) }))
})
