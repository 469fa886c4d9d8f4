import { Effect, Schema } from "effect"
import type { SettingsIssue, Surroundings } from "../Node.ts"

/** The address setting of nodes that open a port. */
export const hostSetting = Schema.NonEmptyString.annotate({
  description: "Address to listen on. A non-loopback address accepts any machine that can reach it.",
  default: "127.0.0.1"
}).pipe(Schema.withDecodingDefaultKey(Effect.succeed("127.0.0.1")))

/** The port setting of nodes that open one; `port` is its default. */
export const portSetting = (port: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))
    .annotate({ description: "Port to listen on.", default: port })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(port)))

/** Why no run may listen on a port, if it is among those of the gateway. */
export const ownPortFault = (port: number, ownPorts: ReadonlyArray<number>): string | undefined =>
  ownPorts.includes(port)
    ? `Port ${port} is the gateway's own: on any address, a run there could receive what is meant for the gateway. ` +
      "Choose another port"
    : undefined

/** The fault of a port that no run may listen on, if it is one. */
export const portFaults = (port: number, { ownPorts = [] }: Surroundings): ReadonlyArray<SettingsIssue> => {
  const detail = ownPortFault(port, ownPorts)
  return detail === undefined ? [] : [{ path: ["port"], detail }]
}
