import { Schema } from "effect"

/** A field of an extraction. Other members are ignored: clients send what their own lists of fields say of them. */
const Field = Schema.StructWithRest(
  Schema.Struct({
    name: Schema.NonEmptyString.check(Schema.isMaxLength(512)),
    type: Schema.optionalKey(
      Schema.NullOr(Schema.String).annotate({ description: "`date` formats the value as a date in `time_zone`" })
    ),
    format: Schema.optionalKey(
      Schema.Unknown.annotate({ description: "Date format in csv, such as `dd/MM/yyyy HH:mm`" })
    )
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

/** The request of an extraction. */
export const ExtractionRequest = Schema.Struct({
  description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(4096))),
  format: Schema.Literals(["csv", "json"]),
  index: Schema.NonEmptyString.check(Schema.isMaxLength(2000)).annotate({
    description: "An index of the tenant, or a pattern with `*` and `?`",
    examples: ["mytenant-access-*"]
  }),
  fields: Schema.optionalKey(
    Schema.Array(Field)
      .check(Schema.isMaxLength(500))
      .annotate({ description: "Fields to extract, in this order; absent or empty for whole documents" })
  ),
  filters: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "Elasticsearch query; `{}` matches all documents"
    })
  ),
  tenant: Schema.optionalKey(Schema.String.annotate({ description: "Must equal the tenant in the path" })),
  time_zone: Schema.optionalKey(Schema.String.annotate({ description: "Time zone of dates in csv; UTC by default" }))
}).annotate({ identifier: "ExtractionRequest" })
export type ExtractionRequest = typeof ExtractionRequest.Type

export const ExtractionStarted = Schema.Struct({
  index: Schema.String.annotate({ description: "Index of the flowline" }),
  id: Schema.String.annotate({ description: "Id of the flowline" }),
  tenant: Schema.String,
  execution: Schema.String.annotate({ description: "Id of the execution" }),
  archive: Schema.String.annotate({ description: "Id of the archive that the execution will make" })
}).annotate({ identifier: "ExtractionStarted" })
export type ExtractionStarted = typeof ExtractionStarted.Type
