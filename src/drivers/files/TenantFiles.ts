import { type FileHandle, readdir, realpath, stat } from "node:fs/promises"
import { join, matchesGlob } from "node:path"
import type { OpenFile } from "../../nodes/Node.ts"
import { Failure } from "../Failure.ts"
import { chunkBytes, plain } from "./Gunzip.ts"
import { isInside, openInside } from "./OpenInside.ts"

const maxFound = 100_000
const magic = /[*?[\]{}]/

/** The segments of a path. Throws if the path could leave its folder or be ambiguous. */
export const segments = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/")
  const bad = (part: string) => part === "" || part === "." || part === ".." || Buffer.byteLength(part) > 255
  if (parts.some(bad) || /[\u0000-\u001f\u007f\\]/.test(path)) throw new Failure(`The path "${path}" is not valid`)
  return parts
}

/** The folders of a pattern before its first wildcard. */
const baseOf = (parts: ReadonlyArray<string>): string =>
  parts
    .slice(
      0,
      parts.findIndex((part) => magic.test(part))
    )
    .join("/")

/** The configuration folder of one tenant, read-only. Links are followed inside it, never out of it. */
export class TenantFiles {
  readonly #root: string
  #realRoot: Promise<string> | undefined

  constructor(root: string) {
    this.#root = root
  }

  /**
   * The real path of a path inside the tenant's folder (empty for the folder itself), or undefined if it does not
   * exist.
   */
  async real(path: string): Promise<string | undefined> {
    this.#realRoot ??= realpath(this.#root)
    if (path === "") return this.#realRoot
    try {
      // Awaited first: nobody else may wait for its failure.
      const root = await this.#realRoot
      const real = await realpath(join(this.#root, ...segments(path)))
      return isInside(root, real) ? real : undefined
    } catch (error) {
      if (error instanceof Failure) throw error
      return undefined
    }
  }

  async glob(pattern: string): Promise<ReadonlyArray<string>> {
    const parts = segments(pattern)
    if (!magic.test(pattern)) {
      const real = await this.real(pattern)
      if (real === undefined) throw new Failure(`The file "${pattern}" does not exist`)
      if (!(await stat(real)).isFile()) throw new Failure(`"${pattern}" is not a file`)
      return [pattern]
    }
    const found: Array<string> = []
    await this.#walk(baseOf(parts), pattern, new Set(), found)
    return found.sort()
  }

  /**
   * The files of a pattern, like {@link glob}, except that a plain path without a file gives no files instead of a
   * failure.
   */
  async found(pattern: string): Promise<ReadonlyArray<string>> {
    if (magic.test(pattern)) return this.glob(pattern)
    const real = await this.real(pattern)
    const at = real === undefined ? undefined : await stat(real).catch(() => undefined)
    return at?.isFile() === true ? [pattern] : []
  }

  /** Names what the files of a pattern are: another text after one was replaced, changed, added or removed. */
  async versionOf(pattern: string): Promise<string> {
    const versions: Array<string> = []
    for (const path of await this.glob(pattern)) {
      const real = await this.real(path)
      if (real === undefined) throw new Failure(`The file "${path}" does not exist`)
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(real, { bigint: true })
      versions.push([path, dev, ino, size, mtimeNs, ctimeNs].join("\n"))
    }
    return versions.join("\n\n")
  }

  /** The nearest existing folder in which, or below which, new files of the pattern will appear. */
  async folder(pattern: string): Promise<string | undefined> {
    const parts = segments(pattern)
    const base = magic.test(pattern) ? baseOf(parts).split("/") : parts.slice(0, -1)
    for (; base.length > 0; base.pop()) {
      const real = await this.real(base.join("/"))
      if (real !== undefined) return real
    }
    return this.real("")
  }

  async #walk(folder: string, pattern: string, above: ReadonlySet<string>, found: Array<string>): Promise<void> {
    const real = await this.real(folder)
    // A link to a parent folder would be followed forever.
    if (real === undefined || above.has(real)) return
    const entries = await readdir(real, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      let [isFile, isFolder] = [entry.isFile(), entry.isDirectory()]
      if (entry.isSymbolicLink()) {
        const target = await this.real(path)
        const at = target === undefined ? undefined : await stat(target).catch(() => undefined)
        ;[isFile, isFolder] = [at?.isFile() === true, at?.isDirectory() === true]
      }
      if (isFolder) await this.#walk(path, pattern, new Set(above).add(real), found)
      else if (isFile && matchesGlob(path, pattern)) {
        if (found.push(path) > maxFound) throw new Failure(`"${pattern}" names more than ${maxFound} files`)
      }
    }
  }

  /** Opens a regular file for reading, and checks that it was in the tenant's folder when it was opened. */
  async open(path: string): Promise<FileHandle> {
    const opened = await openInside(this.#root, segments(path).join("/"))
    switch (opened) {
      case "missing":
      case "outside":
        throw new Failure(`The file "${path}" does not exist`)
      case "denied":
        throw new Failure(`The file "${path}" may not be read`)
      case "directory":
      case "special":
        throw new Failure(`"${path}" is not a file`)
      default:
        return opened.handle
    }
  }

  /** Opens a file for random access. */
  async openFile(path: string): Promise<OpenFile> {
    const handle = await this.open(path)
    return {
      id: handle.fd,
      size: async () => (await handle.stat()).size,
      read: async (into, at) => {
        let filled = 0
        for (let read = -1; read !== 0 && filled < into.length; filled += read) {
          read = (await handle.read(into, filled, into.length - filled, at + filled)).bytesRead
        }
        return filled
      },
      close: () => handle.close()
    }
  }

  /** The bytes in chunks of 256 KiB. A name that ends in `.gz` is decompressed, including all gzip members. */
  async *read(path: string): AsyncGenerator<Uint8Array> {
    const handle = await this.open(path)
    yield* plain(path, handle.createReadStream({ highWaterMark: chunkBytes }))
  }
}
