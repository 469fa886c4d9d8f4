import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { PatternSource } from "../../languages/grok/TenantDefinitions.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** The definitions that were found: the sources in order, and the reasons why others were left out. */
export interface FoundPatterns {
  readonly sources: ReadonlyArray<PatternSource>
  readonly leftOut: ReadonlyArray<string>
}

/** The files `patterns/*` in the configuration folders of the tenants. */
export class PatternFiles extends Context.Service<
  PatternFiles,
  {
    /**
     * The current files sorted by name: at most {@link maxSources}, together at most {@link maxBytes}. Empty for a
     * tenant without a `patterns` folder.
     */
    readonly read: (tenant: TenantId) => Effect.Effect<FoundPatterns, StorageUnreachable>
  }
>()("flow/operators/PatternFiles") {}

/** The limits for all definitions of one tenant. */
export const maxSources = 64
export const maxBytes = 1024 * 1024
export const maxNames = 10_000
