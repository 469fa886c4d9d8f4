import { Effect, Schema } from "effect"

/**
 * The PostgreSQL server that the gateway brings along could not be set up or started. `message` is for the operator.
 */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Runs file and process calls; whatever they throw becomes the operator's message `what: reason`. */
export const attempt = <A>(what: string, run: () => A | Promise<A>): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) =>
      cause instanceof EmbeddedPostgresError
        ? cause
        : new EmbeddedPostgresError({ message: `${what}: ${reason(cause)}`, cause })
  })
