import { join } from "node:path"

/** The path of a blob below the root: `<tenant>/blobs/ab/abcdef…`. */
export interface BlobPath {
  readonly tenant: string
  readonly sha256: string
  /** The first two digits, which spread a tenant's blobs over 256 folders. */
  readonly fan: string
  readonly path: string
  /** The file with the sums of its blocks: `<tenant>/sums/ab/abcdef…`. */
  readonly sums: string
}

const segment = (name: string): string => {
  if (!/^[A-Za-z0-9._-]+$/.test(name) || /^\.+$/.test(name)) throw new Error("not a name of a folder")
  return name
}

/** The paths of a tenant. The schemas of the API validate names, so an invalid one is a defect here. */
export const diskPaths = (root: string) => ({
  tenant: (tenant: string): string => join(root, segment(tenant)),
  temporary: (tenant: string): string => join(root, segment(tenant), "tmp"),
  blobs: (tenant: string): string => join(root, segment(tenant), "blobs"),
  blob: (tenant: string, sha256: string): BlobPath => {
    const fan = segment(sha256).slice(0, 2)
    const file = (kind: string) => join(root, segment(tenant), kind, fan, sha256)
    return { tenant, sha256, fan, path: file("blobs"), sums: file("sums") }
  }
})
