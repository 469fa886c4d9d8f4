import { Schema } from "effect"

/** A secret in a listing. There is nothing of its value. */
export const SecretEntry = Schema.Struct({
  name: Schema.String,
  source: Schema.Literals(["store", "folder", "accessFile"]).annotate({
    description:
      "Where runs get the value: the encrypted store, the folder of `FLOW_SECRETS`, or what the access file names"
  }),
  updatedAt: Schema.optionalKey(Schema.String.annotate({ description: "Time at which a stored secret was set" })),
  keyId: Schema.optionalKey(
    Schema.String.annotate({ description: "Id of the key that a stored secret is encrypted with" })
  ),
  setBy: Schema.optionalKey(Schema.String.annotate({ description: "Principal that set a stored secret" }))
}).annotate({ identifier: "SecretEntry" })
export type SecretEntry = typeof SecretEntry.Type
