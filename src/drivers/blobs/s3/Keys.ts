import { isAbandoned, ownName, temporaryName } from "../disk/Temporary.ts"

/**
 * The layout of the bucket, below the prefix:
 *
 *     <tenant>/blobs/<sha256>                   a blob
 *     <tenant>/blobs/<sha256>.removing.<name>   mark of a pending removal
 *     <tenant>/sums/<sha256>                    the sums of a blob's blocks
 *     <tenant>/tmp/<name>                       bytes whose hash is not known yet
 *     .health/tmp/<name>                        the probe of the health check
 *     .installation                             the id of the installation that all this belongs to
 */
export interface Keys {
  /** The prefix of all keys: empty, or ending in a slash. */
  readonly base: string
  /** The object that holds the id of the installation. */
  readonly owner: string
  readonly blobs: (tenant: string) => string
  readonly blob: (tenant: string, sha256: string) => string
  readonly sums: (tenant: string, sha256: string) => string
  readonly mark: (tenant: string, sha256: string, name: string) => string
  readonly temporaries: (tenant: string) => string
  readonly temporary: (tenant: string, name: string) => string
}

/** The folder of the gateway's own objects, in place of a tenant. Names of tenants do not begin with a dot. */
export const ownFolder = ".health"

/** Whether a segment of a key can be the name of a tenant, or {@link ownFolder}. */
export const isTenant = (name: string): boolean => /^[A-Za-z0-9._-]+$/.test(name) && !/^\.+$/.test(name)

const segment = (name: string): string => {
  if (!isTenant(name)) throw new Error("not a part of a key")
  return name
}

/** The keys below a prefix, which has no leading or trailing slash and may be empty. */
export const s3Keys = (prefix: string): Keys => {
  const base = prefix === "" ? "" : `${prefix}/`
  const blobs = (tenant: string) => `${base}${segment(tenant)}/blobs/`
  const temporaries = (tenant: string) => `${base}${segment(tenant)}/tmp/`
  const blob = (tenant: string, sha256: string) => blobs(tenant) + segment(sha256)
  return {
    base,
    owner: `${base}.installation`,
    blobs,
    blob,
    sums: (tenant, sha256) => `${base}${segment(tenant)}/sums/${segment(sha256)}`,
    mark: (tenant, sha256, name) => `${blob(tenant, sha256)}.removing.${segment(name)}`,
    temporaries,
    temporary: (tenant, name) => temporaries(tenant) + segment(name)
  }
}

/** The value of the `x-amz-copy-source` header. */
export const copySource = (bucket: string, key: string): string =>
  [bucket, ...key.split("/")].map(encodeURIComponent).join("/")

/** Temporary names in use by this process. */
const active = new Set<string>()

/** Runs `use` with a temporary name, which identifies this process. */
export const named = async <A>(use: (name: string) => Promise<A>): Promise<A> => {
  const name = temporaryName()
  active.add(name)
  try {
    return await use(name)
  } finally {
    active.delete(name)
  }
}

/**
 * Whether no process uses the name any more. Where that is unknown, a day without a change since `modified` (epoch
 * milliseconds) decides.
 */
export const isLeft = (name: string, modified: number): boolean =>
  !active.has(name) && (name.startsWith(ownName) || isAbandoned(name, modified))
