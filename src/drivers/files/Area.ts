import { basename, dirname, join } from "node:path"
import { ownRoots, type Root, workFolder } from "../../protocol/Roots.ts"
import type { Order } from "../../protocol/RunProtocol.ts"

/** A folder in which runs write files. */
export interface Area {
  /** The name of the root: see protocol/Roots. */
  readonly root: string
  readonly folder: string
  /** Folder of the locks of files that are appended to. */
  readonly locks: string
  /** Whether other users of the machine may read the files, as far as the gateway's umask allows. */
  readonly isShared: boolean
}

/** The data area of a tenant. */
export const dataArea = (folder: string): Area => ({
  root: ownRoots.data,
  folder,
  locks: join(folder, "..", "locks"),
  isShared: false
})

/** The area of a writable root that the operator opens. */
export const rootArea = (name: string, { path }: Root): Area => ({
  root: name,
  folder: path,
  locks: join(path, workFolder, "locks"),
  isShared: true
})

/** The folder of the unfinished files of all runs in a root, on its volume. It has one for each gateway. */
export const unfinishedIn = ({ path }: Root): string => join(path, workFolder, "unfinished")

/** The folder of a run's unfinished files in a root. */
export const unfinishedOf = (root: Root, { scratch }: Pick<Order, "scratch">): string =>
  join(unfinishedIn(root), basename(dirname(scratch)), basename(scratch))
