import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { isAbsent } from "../../drivers/files/OpenInside.ts"
import { workFolder } from "../../protocol/Roots.ts"
import type { RunFile } from "../../services/files/RunFile.ts"

/** Bounds the time of a call, because a disk may hang. */
type Timed = <A>(call: Promise<A>) => Promise<A>

/** The entries of a folder in order; none if it was removed meanwhile. */
const entriesOf = async (folder: string, timed: Timed) => {
  const entries = await timed(readdir(folder, { withFileTypes: true })).catch((error) => {
    if (isAbsent(error)) return []
    throw error
  })
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * The regular files below a folder whose paths come after that of `after`, ordered by their segments. Reads one folder
 * at a time, and enters none that comes before.
 */
export async function* filesBelow(
  root: string,
  after: ReadonlyArray<string>,
  timed: Timed,
  above = ""
): AsyncGenerator<RunFile> {
  const [first, ...rest] = after
  for (const entry of await entriesOf(join(root, above), timed)) {
    const path = above === "" ? entry.name : `${above}/${entry.name}`
    if (path === workFolder || (first !== undefined && entry.name < first)) continue
    const isSame = entry.name === first
    if (entry.isDirectory()) yield* filesBelow(root, isSame ? rest : [], timed, path)
    else if (entry.isFile() && !isSame) {
      const found = await timed(lstat(join(root, path))).catch((error) => {
        if (isAbsent(error)) return undefined
        throw error
      })
      if (found?.isFile() === true) yield { path, size: found.size, modifiedAt: found.mtime.toISOString() }
    }
  }
}
