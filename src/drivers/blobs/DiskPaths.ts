import { join } from "node:path"

/** Where a blob lies below its root: `<tenant>/blobs/ab/abcdef…`. */
export interface BlobPath {
  readonly tenant: string
  readonly sha256: string
  /** The two digits that spread a tenant's blobs over 256 folders. */
  readonly fan: string
  readonly path: string
}

const segment = (name: string): string => {
  if (!/^[A-Za-z0-9._-]+$/.test(name) || /^\.+$/.test(name)) throw new Error("not a name of a folder")
  return name
}

/** The places of a tenant. Names are checked by the schemas in front; here a wrong one is a defect. */
export const diskPaths = (root: string) => ({
  tenant: (tenant: string): string => join(root, segment(tenant)),
  temporary: (tenant: string): string => join(root, segment(tenant), "tmp"),
  blobs: (tenant: string): string => join(root, segment(tenant), "blobs"),
  blob: (tenant: string, sha256: string): BlobPath => {
    const fan = segment(sha256).slice(0, 2)
    return { tenant, sha256, fan, path: join(root, segment(tenant), "blobs", fan, sha256) }
  }
})
