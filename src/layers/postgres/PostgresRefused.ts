import { Schema } from "effect"

/** This version of the gateway cannot use the database. `message` is for the operator. */
export class PostgresRefused extends Schema.TaggedError<PostgresRefused>()("PostgresRefused", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}
