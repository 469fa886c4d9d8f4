import { Effect, Schema } from "effect"

/** The address setting of nodes that open a port. */
export const hostSetting = Schema.NonEmptyString.annotate({
  description: "Address to listen on. A non-loopback address accepts any machine that can reach it.",
  default: "127.0.0.1"
}).pipe(Schema.withDecodingDefaultKey(Effect.succeed("127.0.0.1")))

export const portSetting = (port: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))
    .annotate({ description: "Port to listen on.", default: port })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(port)))
