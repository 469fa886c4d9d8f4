import { constants } from "node:fs"
import { access, lstat, readdir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { isAbsent, isInside } from "../../drivers/files/OpenInside.ts"
import { passingFolder } from "../../services/channels/ChannelFiles.ts"
import type { ConfNode } from "../../services/conf/ConfNode.ts"

const filesAtOnce = 64
/** Maximum number of folders entered through links, because links can make a small folder look endless. */
const linkedFolders = 1000

type Children = { [name: string]: ConfNode }

const readable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false
  )

/**
 * The tree below `root`. A link is followed when it stays inside `root` and does not lead back to a folder that is
 * being listed; other links are listed as unreadable. Pipes, sockets and devices are listed as unreadable files. What
 * changes of channels make and take away again is not listed.
 */
export const readTree = async (root: string): Promise<Children> => {
  const realRoot = await realpath(root)
  let entered = 0

  const folder = async (path: string, real: string, parents: ReadonlyArray<string>): Promise<Children> => {
    const all = (await readdir(real)).sort()
    const names = path === "channels" ? all.filter((name) => passingFolder(name) === undefined) : all
    // File names may be any string, including `__proto__`, so the object has no prototype.
    const children: Children = Object.create(null)
    for (let start = 0; start < names.length; start += filesAtOnce) {
      const slice = names.slice(start, start + filesAtOnce)
      const nodes = await Promise.all(slice.map((name) => entry(path, name, real, parents)))
      for (let index = 0; index < slice.length; index++) {
        const node = nodes[index]
        if (node !== undefined) children[slice[index]!] = node
      }
    }
    return children
  }

  const entry = async (
    parent: string,
    name: string,
    realParent: string,
    parents: ReadonlyArray<string>
  ): Promise<ConfNode | undefined> => {
    const path = parent === "" ? name : `${parent}/${name}`
    const unreadable: ConfNode = { parent, path, size: 0, isFile: true, canRead: false, children: {} }
    try {
      let real = join(realParent, name)
      let info = await lstat(real)
      if (info.isSymbolicLink()) {
        real = await realpath(real)
        info = await stat(real)
        const again = parents.includes(real) || (info.isDirectory() && ++entered > linkedFolders)
        if (!isInside(realRoot, real) || again) return { ...unreadable, isFile: !info.isDirectory() }
      }
      if (info.isDirectory()) {
        const canRead = await readable(real)
        const children = canRead ? await folder(path, real, [...parents, real]) : {}
        let size = 0
        for (const child of Object.values(children)) size += child.size
        return { parent, path, size, isFile: false, canRead, children }
      }
      if (!info.isFile()) return unreadable
      return { parent, path, size: info.size, isFile: true, canRead: await readable(real), children: {} }
    } catch (error) {
      // The file was removed meanwhile, or the link is broken.
      if (!isAbsent(error)) throw error
      return (await lstat(join(realParent, name)).catch(() => undefined)) === undefined ? undefined : unreadable
    }
  }

  return folder("", realRoot, [realRoot])
}
