import { Context } from "effect"
import type { Principal } from "./Principal.ts"

/** A request that was refused, or that the gateway could not do. */
export interface Refusal {
  /** The tenant of the path, whether it exists or not; undefined for paths without one. */
  readonly tenant: string | undefined
  /** Undefined when nobody was authenticated. */
  readonly principal: Principal | undefined
  /** Group and name of the endpoint; empty when the path is none of an endpoint. */
  readonly action: string
  /** The path, without the query. */
  readonly target: string
  readonly outcome: "refused" | "failed"
  readonly status: number
  readonly requestId: string
  readonly remote: string | null
  /** The request named a tenant that does not exist, or that its principal may not see. */
  readonly isHidden: boolean
}

/** Writes refusals down in the background. */
export class Refusals extends Context.Service<Refusals, { readonly note: (refusal: Refusal) => void }>()(
  "flow/shared/Refusals"
) {}
