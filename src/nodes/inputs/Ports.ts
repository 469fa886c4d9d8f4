import { Schema } from "effect"
import type { SettingsIssue, Surroundings } from "../Node.ts"
import { withDefault } from "../settings/SettingsSchema.ts"

/** The address setting of nodes that open a port. */
export const hostSetting = Schema.NonEmptyString.pipe(
  withDefault("127.0.0.1", "Address to listen on. A non-loopback address accepts any machine that can reach it.")
)

/** The port setting of nodes that open one; `port` is its default. */
export const portSetting = (port: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })).pipe(withDefault(port, "Port to listen on."))

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
