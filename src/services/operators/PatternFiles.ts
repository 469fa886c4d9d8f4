import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { PatternSource } from "../../languages/grok/TenantDefinitions.ts"

/** What was found of definitions: sources in order, and what could not be taken. */
export interface FoundPatterns {
  readonly sources: ReadonlyArray<PatternSource>
  readonly leftOut: ReadonlyArray<string>
}

/** The files `patterns/*` of the tenants' configuration folders. */
export class PatternFiles extends Context.Service<
  PatternFiles,
  {
    /**
     * The files as they are now, sorted by name, at most {@link maxSources} of {@link maxBytes} together. None for a
     * tenant without such a folder.
     */
    readonly read: (tenant: string) => Effect.Effect<FoundPatterns, StorageUnreachable>
  }
>()("flow/operators/PatternFiles") {}

/** What the definitions of a tenant may be in all. */
export const maxSources = 64
export const maxBytes = 1024 * 1024
export const maxNames = 10_000
