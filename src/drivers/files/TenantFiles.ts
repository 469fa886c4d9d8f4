import { type FileHandle, readdir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { isGlob } from "../../languages/Glob.ts"
import { suggestion } from "../../languages/Suggest.ts"
import type { OpenFile } from "../../nodes/ports/NodeFiles.ts"
import { ownRoots, placeOf, workFolder } from "../../protocol/Roots.ts"
import { codeOf, Failure } from "../Failure.ts"
import { chunkBytes, plain } from "./Compression.ts"
import { type OddFile, oddFile, oddReason } from "./OddNames.ts"
import { isInside, openInside } from "./OpenInside.ts"
import { matcher, segments } from "./PathNames.ts"

const maxFound = 100_000
/** Error codes for a path that does not exist, or cannot. */
const gone = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"])
/** Milliseconds for which names are compared with a pattern before others have their turn. */
const turn = 10
/** Maximum number of names among which a message looks for the one that may be meant. */
const maxNames = 10_000

const isOwn = (name: string): boolean => name === ownRoots.conf || name === ownRoots.data

/** The folders of a pattern before its first wildcard. */
const baseOf = (parts: ReadonlyArray<string>): string => parts.slice(0, parts.findIndex(isGlob)).join("/")

/** A search for the files of a pattern. */
interface Walk {
  readonly pattern: string
  readonly matches: (path: string) => boolean
  readonly found: Array<string>
  /** Links that lead out of the root. */
  readonly outside: Array<string>
  /** Folders that cannot be read. */
  readonly unreadable: Array<string>
  readonly odd: Array<OddFile>
  /** When it was given its turn, on the clock of `performance`. */
  since: number
}

/** The files of a root, to read: links are followed inside it, never out of it. */
export class TenantFiles {
  /** The name of the root: see protocol/Roots. */
  readonly name: string
  readonly #root: string
  #realRoot: Promise<string> | undefined

  constructor(root: string, name: string = ownRoots.conf) {
    this.#root = root
    this.name = name
  }

  /** Whether the path, or a folder on the way to it, is a link that leads out of the root. */
  async #leadsOut(path: string, parts = segments(path)): Promise<boolean> {
    const root = await this.real("")
    const real = await realpath(join(this.#root, ...parts)).catch(() => undefined)
    return root !== undefined && real !== undefined && !isInside(root, real)
  }

  /** Fails when the path is a link that leads out of the root. */
  async refuseOutside(path: string): Promise<void> {
    if (await this.#leadsOut(path)) {
      throw new Failure(`"${path}" is a link, or lies behind one, that leads out of ${placeOf(this.name)}`)
    }
  }

  /** The path that may be meant by one that does not exist, as `; did you mean "x"?`; empty when there is none. */
  async near(path: string): Promise<string> {
    const parts = segments(path)
    for (let depth = 0; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join("/")
      const real = await this.real(folder).catch(() => undefined)
      const names = real === undefined ? [] : await readdir(real).catch(() => [])
      if (names.includes(parts[depth]!)) continue
      const known = names.filter((name) => name !== workFolder).slice(0, maxNames)
      return suggestion(
        path,
        known.map((name) => [...parts.slice(0, depth), name, ...parts.slice(depth + 1)].join("/"))
      )
    }
    return ""
  }

  async #missing(path: string): Promise<Failure> {
    if ((await this.real("")) === undefined && !isOwn(this.name)) {
      return new Failure(`The folder of ${placeOf(this.name)} does not exist on the gateway's machine`)
    }
    if (await this.#isDenied(path, segments(path))) return this.#unread(path)
    return new Failure(`The file "${path}" does not exist in ${placeOf(this.name)}${await this.near(path)}`)
  }

  #unread(path: string): Failure {
    return new Failure(`The gateway's user may not read ${path && `"${path}" of `}${placeOf(this.name)}`)
  }

  /**
   * The real path of a path inside the root (empty for the root itself), or undefined if it does not exist.
   */
  async real(path: string): Promise<string | undefined> {
    return this.#real(path === "" ? [] : segments(path))
  }

  /** {@link real} for segments that were checked, or that were found in folders. */
  async #real(parts: ReadonlyArray<string>): Promise<string | undefined> {
    try {
      const root = await this.#base()
      if (parts.length === 0) return root
      const real = await realpath(join(this.#root, ...parts))
      return isInside(root, real) ? real : undefined
    } catch {
      return undefined
    }
  }

  /** The real path of the root, which may come into being later. */
  async #base(): Promise<string> {
    this.#realRoot ??= realpath(this.#root)
    try {
      return await this.#realRoot
    } catch (error) {
      this.#realRoot = undefined
      throw error
    }
  }

  /** The files of a pattern. Fails if none are found and some folders cannot be read, which may have some. */
  async glob(pattern: string): Promise<ReadonlyArray<string>> {
    const unreadable: Array<string> = []
    const found = await this.#named(pattern, unreadable)
    if (found.length === 0 && unreadable[0] !== undefined) throw this.#unread(unreadable[0])
    return found
  }

  async #named(pattern: string, unreadable: Array<string>): Promise<ReadonlyArray<string>> {
    const odd: Array<OddFile> = []
    const found = await this.#glob(pattern, unreadable, odd)
    const [first] = odd
    if (first !== undefined) throw new Failure(`The file "${first.shown}" of ${placeOf(this.name)} ${oddReason}`)
    return found
  }

  async #glob(pattern: string, unreadable: Array<string>, odd: Array<OddFile>): Promise<ReadonlyArray<string>> {
    const parts = segments(pattern)
    if (!isGlob(pattern)) {
      const real = await this.real(pattern)
      if (real === undefined) await this.refuseOutside(pattern)
      if (real === undefined) throw await this.#missing(pattern)
      if (!(await stat(real)).isFile()) throw new Failure(`"${pattern}" is not a file`)
      return [pattern]
    }
    if ((await this.real("")) === undefined && !isOwn(this.name)) throw await this.#missing(pattern)
    const found: Array<string> = []
    const outside: Array<string> = []
    const walk = { pattern, matches: matcher(pattern), found, outside, unreadable, odd, since: performance.now() }
    await this.#walk(baseOf(parts), new Set(), walk)
    const [link] = found.length === 0 ? outside : []
    if (link !== undefined) await this.refuseOutside(link)
    return found.sort()
  }

  /**
   * The files of a pattern, like {@link glob}, except that a plain path without a file, and folders that cannot be read,
   * give no files instead of a failure.
   */
  async found(pattern: string): Promise<ReadonlyArray<string>> {
    if (isGlob(pattern)) return this.#named(pattern, [])
    const real = await this.real(pattern)
    const at = real === undefined ? undefined : await stat(real).catch(() => undefined)
    return at?.isFile() === true ? [pattern] : []
  }

  /** Like {@link found}, with files of odd names and the folders that cannot be read and may have matching files. */
  async watched(pattern: string): Promise<{
    readonly paths: ReadonlyArray<string>
    readonly odd: ReadonlyArray<OddFile>
    readonly unreadable: ReadonlyArray<string>
  }> {
    const [odd, unreadable]: [Array<OddFile>, Array<string>] = [[], []]
    const paths = await (isGlob(pattern) ? this.#glob(pattern, unreadable, odd) : this.found(pattern))
    if (paths.length === 0 && (await this.#isDenied(pattern, segments(pattern)))) unreadable.push(pattern)
    return { paths, odd, unreadable }
  }

  /** Whether something else than its absence keeps the path from being looked at. */
  async #isDenied(path: string, parts: ReadonlyArray<string>): Promise<boolean> {
    try {
      await stat(path === "" ? this.#root : join(this.#root, ...parts))
      return false
    } catch (error) {
      return !gone.has(codeOf(error) ?? "")
    }
  }

  /** A text that changes when a file of the pattern is replaced, changed, added or removed. */
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
    const base = isGlob(pattern) ? baseOf(parts).split("/") : parts.slice(0, -1)
    for (; base.length > 0; base.pop()) {
      const real = await this.real(base.join("/"))
      if (real !== undefined) return real
    }
    return this.real("")
  }

  async #walk(folder: string, above: ReadonlySet<string>, walk: Walk): Promise<void> {
    const names = folder === "" ? [] : folder.split("/")
    const real = await this.#real(names)
    if (real === undefined && (await this.#leadsOut(folder, names))) walk.outside.push(folder)
    else if (real === undefined && (await this.#isDenied(folder, names))) walk.unreadable.push(folder)
    // A link to a parent folder would be followed forever.
    if (real === undefined || above.has(real)) return
    const entries = await readdir(real, { withFileTypes: true }).catch((error) => {
      if (!gone.has(codeOf(error) ?? "")) walk.unreadable.push(folder)
      return []
    })
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (path === workFolder) continue
      if (performance.now() - walk.since > turn) {
        await setImmediate()
        walk.since = performance.now()
      }
      let [isFile, isFolder] = [entry.isFile(), entry.isDirectory()]
      if (entry.isSymbolicLink()) {
        const target = await this.#real(path.split("/"))
        const isOut = target === undefined && walk.matches(path)
        if (isOut && (await this.#leadsOut(path, path.split("/")))) walk.outside.push(path)
        const at = target === undefined ? undefined : await stat(target).catch(() => undefined)
        ;[isFile, isFolder] = [at?.isFile() === true, at?.isDirectory() === true]
      }
      if (isFolder) await this.#walk(path, new Set(above).add(real), walk)
      else if (isFile && walk.matches(path)) {
        const file = await oddFile(real, entry.name, path)
        if (file !== undefined) walk.odd.push(file)
        else if (walk.found.push(path) > maxFound)
          throw new Failure(`"${walk.pattern}" names more than ${maxFound} files`)
      }
    }
  }

  /** Opens a regular file for reading, and checks that it was in the root when it was opened. */
  async open(path: string): Promise<FileHandle> {
    const opened = await openInside(this.#root, segments(path).join("/"))
    switch (opened) {
      case "outside":
        await this.refuseOutside(path)
        throw await this.#missing(path)
      case "missing":
        throw await this.#missing(path)
      case "denied":
        throw new Failure(`The gateway's user may not read the file "${path}" of ${placeOf(this.name)}`)
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
      path: () => this.real(path),
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

  /** The bytes in chunks of 256 KiB; those of a compressed file decompressed. */
  async *read(path: string): AsyncGenerator<Uint8Array> {
    const handle = await this.open(path)
    yield* plain(path, handle.createReadStream({ highWaterMark: chunkBytes }))
  }
}
