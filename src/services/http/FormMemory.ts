import { Effect } from "effect"
import { RequestMemory } from "../shared/capacity/RequestMemory.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** Memory of a form that has just begun, in bytes: what its connection holds of it, and its parser. */
export const formBytes = 128 * 1024

/**
 * The memory of a form that is received as a whole, until the request has been answered. The result is told how many
 * more bytes are about to be kept.
 */
export const formMemory = Effect.fnUntraced(function* (tenant: TenantId) {
  const held = yield* (yield* RequestMemory).hold(tenant, formBytes)
  let kept = 0
  return (bytes: number) => {
    kept += bytes
    return held.grow(formBytes + kept)
  }
})
