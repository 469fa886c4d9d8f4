/** A reference of a flowline to stored bytes: the latest version of a registry path, or an artifact's build. */
export type Reference =
  | { readonly registry: string }
  /** `type:group:artifact:version`. */
  | { readonly resource: string }

/** The blob that a reference names, and its file name. `size` is in bytes. */
export interface ResolvedReference {
  readonly sha256: string
  readonly size: number
  readonly name: string
}

/** The resolved references of an attempt, by {@link referenceKey}. */
export type ResolvedReferences = Readonly<Record<string, ResolvedReference>>

/** The reference as one text, also for messages: `registry:<path>` or `resource:<type:group:artifact:version>`. */
export const referenceKey = (reference: Reference): string =>
  "registry" in reference ? `registry:${reference.registry}` : `resource:${reference.resource}`
