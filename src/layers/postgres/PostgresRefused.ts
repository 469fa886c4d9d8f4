import { Schema } from "effect"

/** The database cannot be used by this version of the gateway. `message` is for the operator. */
export class PostgresRefused extends Schema.TaggedError<PostgresRefused>()("PostgresRefused", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}
