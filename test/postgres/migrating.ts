import { Effect, Layer, Redacted } from "effect"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"

/** `node migrating.ts <address>`: opens the database as a gateway does and prints `done`, or `refused <message>`. */
await Effect.runPromise(
  Effect.scoped(Layer.build(layerFromUrl(Redacted.make(process.argv[2] ?? "")))).pipe(
    Effect.andThen(Effect.sync(() => console.log("done"))),
    Effect.catch((error) => Effect.sync(() => console.log(`refused ${error.message}`)))
  )
)
