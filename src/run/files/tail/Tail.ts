import { type FileHandle, readdir, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { codeOf, Failure } from "../../../drivers/Failure.ts"
import type { TenantFiles } from "../../../drivers/files/TenantFiles.ts"
import type { Growth, TailOptions } from "../../../nodes/ports/Position.ts"
import { compressionOf } from "../../../nodes/settings/Paths.ts"
import { FolderWatcher } from "./FolderWatcher.ts"
import { type Block, FollowedFile, type Reached } from "./FollowedFile.ts"
import { beginsWith, type Identity, identify, isSame } from "./Identity.ts"

/** Milliseconds between two checks of the files when the system reports no change. */
const pollMillis = 1000
/** Milliseconds between two searches for new files. */
const findMillis = 5000
/** How long a renamed or removed file is still read: its writer may keep it open for a while. */
const lingerMillis = 5000
/** How many files without a name are remembered; more if more files were followed at the same time. */
const leastRemembered = 100

/** The stored position of a file. */
const Known = Schema.Struct({
  path: Schema.String,
  device: Schema.String,
  inode: Schema.String,
  head: Schema.Struct({ length: Schema.Finite, hash: Schema.String }),
  offset: Schema.Finite,
  // Positions of earlier versions lack these.
  born: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Finite),
  turn: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  counts: Schema.Struct({ records: Schema.Finite, failures: Schema.Finite }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed({ records: 0, failures: 0 }))
  )
})
type Known = typeof Known.Type

const reachedOf = ({ offset, line, turn, counts }: Known): Reached => ({
  offset,
  line: offset === 0 ? 1 : line,
  turn,
  counts
})

const knownOf = ({ path, device, inode, born, head }: FollowedFile, reached: Reached): Known => {
  const { line, ...counted } = reached
  return { path, device, inode, born, head, ...counted, ...(line === undefined ? {} : { line }) }
}

/** Whether it is the known file, and not another one with the inode of a removed one. */
const isKnown = (known: Known, identity: Identity): boolean =>
  isSame(known, identity) && (known.born ?? identity.born) === identity.born

const Saved = Schema.Struct({
  /** The root of the files, where the node names none. */
  root: Schema.optionalKey(Schema.String),
  files: Schema.Array(Known)
})

/** The root in which an earlier attempt followed files. */
export const savedRoot = (position: unknown): string | undefined => {
  const saved = Schema.decodeUnknownOption(Saved)(position)
  return saved._tag === "Some" ? saved.value.root : undefined
}

/** Follows the files that match a glob. */
export class Tail {
  readonly #pattern: string
  readonly #files: TenantFiles
  readonly #how: TailOptions
  readonly #signal: AbortSignal
  readonly #watcher: FolderWatcher
  /** Files that have no name now, oldest first. They return with a share that was offline or a folder that was moved. */
  #known: ReadonlyArray<Known>
  #followed: Array<FollowedFile> = []
  #count = 0
  #mostFollowed = 0
  /** The paths that were reported as unreadable. */
  readonly #unreadable = new Set<string>()
  /** How often files could not be opened. */
  readonly #refused = new Map<string, number>()

  constructor(pattern: string, files: TenantFiles, position: unknown, how: TailOptions, signal: AbortSignal) {
    this.#pattern = pattern
    this.#how = how
    this.#files = files
    this.#signal = signal
    this.#watcher = new FolderWatcher(signal)
    const saved = Schema.decodeUnknownOption(Saved)(position)
    this.#known = saved._tag === "Some" ? saved.value.files : []
  }

  readonly #position = (): unknown => ({
    root: this.#files.name,
    files: [...this.#known, ...this.#followed.map((file) => knownOf(file, file.taken))]
  })

  readonly #growth = (file: FollowedFile, { bytes, from, ended }: Block, isDue = false): Growth => {
    const { number, path, content, counts, encoding, reach, taken } = file
    const place = { offset: from, line: from === taken.offset ? taken.line : undefined }
    const [behind, position] = [this.#behind(), this.#position]
    return { file: number, path, content, counts, encoding, bytes, from: place, ended, isDue, reach, behind, position }
  }

  readonly #behind = (): number => this.#followed.reduce((sum, { size, offset }) => sum + Math.max(0, size - offset), 0)

  async *run(): AsyncGenerator<Growth> {
    try {
      await this.#find()
      await this.#findMoved()
      let found = performance.now()
      while (!this.#signal.aborted) {
        let moved = false
        for (const file of this.#followed) {
          const block = await file.next()
          if (block === undefined) {
            yield* this.#due(file)
            continue
          }
          moved = true
          yield this.#growth(file, block)
          file.took(block)
          if (this.#signal.aborted) return
        }
        if (moved) continue
        yield* this.#leave()
        const changed = await this.#watcher.wait(this.#pause())
        if (!changed && performance.now() - found < findMillis) continue
        await this.#find()
        found = performance.now()
      }
    } finally {
      this.#watcher.close()
      await Promise.all(this.#followed.map((file) => file.close()))
    }
  }

  /** Tells the receiver of bytes that wait for further lines for too long. */
  *#due(file: FollowedFile): Generator<Growth> {
    const { dueAfter } = this.#how
    if (dueAfter === undefined || file.dueIn(dueAfter) !== 0) return
    const block = file.due()
    yield this.#growth(file, block, true)
    file.took(block)
  }

  /** Milliseconds until the files are looked at again, if they do not change. */
  #pause(): number {
    const { dueAfter } = this.#how
    if (dueAfter === undefined) return pollMillis
    return Math.min(pollMillis, ...this.#followed.map((file) => file.dueIn(dueAfter) ?? pollMillis))
  }

  /** Searches for the files that match the glob: opens new ones, and notes which have lost their names. */
  async #find(): Promise<void> {
    const paths = await this.#files.found(this.#pattern)
    const named = new Set<FollowedFile>()
    const base = await this.#files.folder(this.#pattern)
    const folders = new Set(base === undefined ? [] : [base])
    for (const path of paths) {
      if (compressionOf(path) !== undefined) continue
      const real = await this.#files.real(path)
      if (real === undefined) continue
      folders.add(dirname(real))
      const at = await stat(real, { bigint: true }).catch(() => undefined)
      if (at === undefined) continue
      const key = { device: String(at.dev), inode: String(at.ino) }
      const file = this.#followed.find((file) => isSame(file, key))
      if (file === undefined) await this.#add(path).then((added) => added && named.add(added))
      else {
        named.add(file)
        file.path = path
        file.lostAt = undefined
      }
    }
    if (paths.length === 0) await this.#tellUnreadable()
    const all = new Set(paths)
    for (const path of this.#refused.keys()) if (!all.has(path)) this.#refused.delete(path)
    for (const file of this.#followed) if (!named.has(file)) file.lostAt ??= performance.now()
    this.#watcher.watch(folders)
  }

  /** Files that cannot be found look like files that are not there yet. */
  async #tellUnreadable(): Promise<void> {
    for (const path of (await this.#files.watched(this.#pattern)).unreadable) {
      if (this.#unreadable.has(path)) continue
      this.#unreadable.add(path)
      this.#how.tell?.(`"${path}" cannot be read, so there may be files that are not followed`)
    }
  }

  /**
   * Opens a file. It may have been removed, or not be readable yet: the reason is reported only if it is found again.
   */
  async #open(path: string): Promise<FileHandle | undefined> {
    try {
      const handle = await this.#files.open(path)
      this.#refused.delete(path)
      return handle
    } catch (error) {
      const code = codeOf(error)
      if (code === "EMFILE" || code === "ENFILE") {
        throw new Failure(
          `"${this.#pattern}" names more files than can be open at once: ${this.#followed.length} are. Raise the limit of ` +
            "open files of the gateway (ulimit -n, LimitNOFILE=), or name fewer"
        )
      }
      const times = (this.#refused.get(path) ?? 0) + 1
      this.#refused.set(path, times)
      // Other errors than failures name paths of the machine.
      const reason = error instanceof Failure ? error.message : `it cannot be opened (${code ?? "unknown error"})`
      if (times === 2) this.#how.tell?.(`"${path}" is not read: ${reason}`)
      return undefined
    }
  }

  /** Follows a file. A file that was found under a name outside of the glob has to be known. */
  async #add(path: string, isMoved = false): Promise<FollowedFile | undefined> {
    const handle = await this.#open(path)
    if (handle === undefined) return undefined
    const identity = await identify(handle)
    const already = this.#followed.find((file) => isSame(file, identity))
    if (already !== undefined) {
      await handle.close()
      return already
    }
    const known = this.#known.find((known) => isKnown(known, identity))
    this.#known = this.#known.filter((other) => !isSame(other, identity))
    const resumes = known !== undefined && (await beginsWith(handle, known.head))
    if (isMoved && !resumes) {
      await handle.close()
      return undefined
    }
    const anew = {
      offset: 0,
      line: 1,
      turn: known === undefined ? 0 : known.turn + 1,
      counts: { records: 0, failures: 0 }
    }
    const file = new FollowedFile(
      ++this.#count,
      path,
      handle,
      identity,
      resumes ? reachedOf(known) : anew,
      this.#how.encoding
    )
    this.#followed.push(file)
    this.#mostFollowed = Math.max(this.#mostFollowed, this.#followed.length)
    return file
  }

  /** Files that were renamed within their folder while the job was stopped are read to their ends. */
  async #findMoved(): Promise<void> {
    for (const known of this.#known) {
      const folder = known.path.includes("/") ? dirname(known.path) : ""
      const real = await this.#files.real(folder)
      const names = real === undefined ? [] : await readdir(real).catch(() => [])
      for (const name of names) {
        const at = await stat(join(real!, name), { bigint: true }).catch(() => undefined)
        const key: Pick<Identity, "device" | "inode"> = { device: String(at?.dev), inode: String(at?.ino) }
        if (at === undefined || !isSame(known, key)) continue
        const file = await this.#add(folder === "" ? name : `${folder}/${name}`, true)
        if (file !== undefined) file.lostAt ??= performance.now()
      }
    }
    // Without any file, the folder may not be mounted yet.
    if (this.#followed.length > 0) this.#forget()
  }

  /** Forgets the files that have been missing for longest, which may have been removed. */
  #forget(): void {
    this.#known = this.#known.slice(-Math.max(leastRemembered, this.#mostFollowed))
  }

  /** Stops following files that lost their names more than `lingerMillis` ago. */
  async *#leave(): AsyncGenerator<Growth> {
    const before = performance.now() - lingerMillis
    for (const file of this.#followed.filter(({ lostAt }) => lostAt !== undefined && lostAt < before)) {
      const block = await file.rest()
      yield this.#growth(file, block)
      const hasName = await file.hasName()
      this.#followed = this.#followed.filter((other) => other !== file)
      if (hasName) this.#known = [...this.#known, knownOf(file, file.left(block))]
      this.#forget()
      await file.close()
    }
  }
}
