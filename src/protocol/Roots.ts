/** A folder outside of the configuration that the operator opens to the runs of a tenant. */
export interface Root {
  /** Absolute path on this machine. */
  readonly path: string
  readonly writable: boolean
}

/** Roots by their names. */
export type Roots = Readonly<Record<string, Root>>

/** The names of the roots that every tenant has: its configuration folder, read-only, and its data area. */
export const ownRoots = { conf: "conf", data: "data" } as const

/**
 * The folder in a writable root that holds unfinished files and locks, next to what they become: a rename works only
 * within one volume. It is no part of what runs and clients see.
 */
export const workFolder = ".flow"

/** What a path is relative to, for messages. */
export const placeOf = (root: string): string =>
  root === ownRoots.conf
    ? "the tenant's configuration folder"
    : root === ownRoots.data
      ? "the tenant's data area"
      : `the root "${root}"`

/**
 * The name of a file that runs append to, unique in the tenant: its path, with the root in front unless it is the data
 * area. No relative path begins with a slash.
 */
export const fileKey = (root: string | undefined, path: string): string =>
  root === undefined || root === ownRoots.data ? path : `/${root}/${path}`

/** The root and the path of a {@link fileKey}. */
export const fileOf = (key: string): { readonly root: string; readonly path: string } => {
  const [, root, path] = /^\/([^/]+)\/(.+)$/.exec(key) ?? []
  return root === undefined || path === undefined ? { root: ownRoots.data, path: key } : { root, path }
}

/** The file of a {@link fileKey}, for messages. */
export const fileText = (key: string): string => {
  const { root, path } = fileOf(key)
  return root === ownRoots.data ? `"${path}"` : `"${path}" of ${placeOf(root)}`
}
