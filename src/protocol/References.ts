/** Stored bytes that a flowline names: the latest version of a registry path, or an artifact's build. */
export type Reference =
  | { readonly registry: string }
  /** `type:group:artifact:version`. */
  | { readonly resource: string }

/** The bytes behind a reference: a blob of the tenant, and the file name it was stored under. `size` is in bytes. */
export interface ResolvedReference {
  readonly sha256: string
  readonly size: number
  readonly name: string
}

/** What an attempt of an execution was given, by {@link referenceKey}. */
export type ResolvedReferences = Readonly<Record<string, ResolvedReference>>

/** The reference as one text, also for messages: `registry:<path>` or `resource:<type:group:artifact:version>`. */
export const referenceKey = (reference: Reference): string =>
  "registry" in reference ? `registry:${reference.registry}` : `resource:${reference.resource}`
