import { Schema } from "effect"

/** What to extract. Members that are not known here are passed over. */
export const ExtractionRequest = Schema.Struct({
  description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(4096))),
  format: Schema.Literals(["csv", "json"]),
  index: Schema.NonEmptyString.check(Schema.isMaxLength(2000)).annotate({
    description: "An index of the tenant, or a pattern with `*` and `?`",
    examples: ["mytenant-access-*"]
  }),
  fields: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.NonEmptyString.check(Schema.isMaxLength(512)),
        type: Schema.optionalKey(
          Schema.NullOr(Schema.String).annotate({ description: "`date` shows it in the time zone" })
        ),
        format: Schema.optionalKey(
          Schema.Unknown.annotate({ description: "How a date is shown in csv, such as `dd/MM/yyyy HH:mm`" })
        )
      })
    )
      .check(Schema.isMaxLength(500))
      .annotate({ description: "Fields in their order; absent or empty for whole documents" })
  ),
  filters: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "Elasticsearch query; `{}` finds everything" })
  ),
  tenant: Schema.optionalKey(Schema.String.annotate({ description: "The tenant of the path" })),
  time_zone: Schema.optionalKey(Schema.String.annotate({ description: "Time zone of dates in csv, UTC by default" }))
}).annotate({ identifier: "ExtractionRequest" })
export type ExtractionRequest = typeof ExtractionRequest.Type

export const ExtractionStarted = Schema.Struct({
  index: Schema.String.annotate({ description: "Where the flowline is kept" }),
  id: Schema.String.annotate({ description: "Id of the flowline" }),
  tenant: Schema.String,
  execution: Schema.String.annotate({ description: "Id of its execution" }),
  archive: Schema.String.annotate({ description: "Id of the archive that it will make" })
}).annotate({ identifier: "ExtractionStarted" })
export type ExtractionStarted = typeof ExtractionStarted.Type
