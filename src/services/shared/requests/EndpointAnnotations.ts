import { Context } from "effect"
import type { Role } from "../security/Principal.ts"

/** The role that an endpoint needs, an annotation. An endpoint without it is refused for everybody. */
export const NeededRole = Context.Reference<Role | undefined>("flow/shared/NeededRole", {
  defaultValue: () => undefined
})

/** Whether an endpoint without a tenant needs its role for every tenant, an annotation. Any tenant is enough without it. */
export const ForEveryTenant = Context.Reference<boolean>("flow/shared/ForEveryTenant", { defaultValue: () => false })

/** Whether an endpoint changes nothing although its method says so, an annotation. Every other one writes to the audit. */
export const ChangesNothing = Context.Reference<boolean>("flow/shared/ChangesNothing", { defaultValue: () => false })

/**
 * Whether the answer of an endpoint without a tenant stays the same while the gateway runs, whoever asks for it, an
 * annotation.
 */
export const IsFixed = Context.Reference<boolean>("flow/shared/IsFixed", { defaultValue: () => false })

/**
 * Marks an endpoint whose last path parameter may span several segments. Clients send its slashes encoded; the server
 * also accepts plain slashes, which are easier to type with curl.
 */
export const SpansSegments = Context.Reference<boolean>("flow/shared/SpansSegments", { defaultValue: () => false })
