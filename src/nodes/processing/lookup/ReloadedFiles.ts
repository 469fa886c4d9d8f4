import { durationMillis } from "../../../languages/DurationText.ts"
import { messageOf } from "../../../languages/ErrorMessage.ts"
import type { NodeContext } from "../../Node.ts"
import type { InputFiles } from "../../ports/NodeFiles.ts"

/** What was read from files, and how many entries it has, for the message about it. */
export interface Loaded<A> {
  readonly value: A
  readonly entries: number
}

/**
 * What was read from files, and is read again when they have changed. Files that are being written are not read: they
 * have to be the same in two looks, and after they were read. What cannot be read leaves everything as it was.
 */
export class ReloadedFiles<A> {
  readonly #context: NodeContext
  readonly #files: Pick<InputFiles, "versionOf">
  readonly #path: string | undefined
  readonly #everyMillis: number
  readonly #load: () => Promise<Loaded<A>>
  #value: A
  /** The loaded version, the version at the last check, and the version that could not be loaded. */
  #loaded: string | undefined
  #seen: string | undefined
  #failed: string | undefined
  #lookedAt = performance.now()
  #isLooking = false
  #isAway = false

  private constructor(
    context: NodeContext,
    files: Pick<InputFiles, "versionOf">,
    path: string | undefined,
    every: string,
    load: () => Promise<Loaded<A>>,
    value: A,
    version: string | undefined
  ) {
    this.#context = context
    this.#files = files
    this.#path = path
    this.#everyMillis = durationMillis(every)
    this.#load = load
    this.#value = value
    this.#loaded = version
    this.#seen = version
  }

  /**
   * Reads for the first time; rejects when that fails.
   *
   * @param files where the watched files are
   * @param path the files that are watched; absent where what is read cannot change
   * @param every how often they are looked at, as a duration
   */
  static async of<A>(
    context: NodeContext,
    files: Pick<InputFiles, "versionOf">,
    path: string | undefined,
    every: string,
    load: () => Promise<Loaded<A>>
  ): Promise<ReloadedFiles<A>> {
    const version = path === undefined ? undefined : await files.versionOf?.(path)
    const { value } = await load()
    return new ReloadedFiles(context, files, path, every, load, value, version)
  }

  /** The current value. Never waits: a change counts from a later call on. */
  get value(): A {
    const { versionOf } = this.#files
    if (this.#path !== undefined && versionOf !== undefined && !this.#isLooking) {
      const now = performance.now()
      if (now - this.#lookedAt >= this.#everyMillis) {
        this.#isLooking = true
        void this.#look(this.#path, versionOf).finally(() => {
          this.#lookedAt = performance.now()
          this.#isLooking = false
        })
      }
    }
    return this.#value
  }

  async #look(path: string, versionOf: (path: string) => Promise<string>): Promise<void> {
    let away = `"${path}" names no file`
    const found = await versionOf(path).catch((error) => {
      away = messageOf(error)
      return ""
    })
    // The pattern may have matched no file from the beginning.
    const version = found === "" && this.#loaded !== "" ? undefined : found
    const isSettled = version === this.#seen
    this.#seen = version
    if (version !== undefined) this.#isAway = false
    else if (isSettled && !this.#isAway) {
      // A file that is missing at only one check is being replaced.
      this.#isAway = true
      this.#context.counted?.("failedReloads", 1)
      await this.#tell(`${path} is away, so what was read before is kept: ${away}`)
    }
    if (version === undefined || !isSettled || version === this.#loaded || version === this.#failed) return
    try {
      const { value, entries } = await this.#load()
      if ((await versionOf(path).catch(() => undefined)) !== version) return
      this.#value = value
      this.#loaded = version
      this.#context.counted?.("reloads", 1)
      await this.#tell(`${path} has changed and was read again: ${entries} entries`)
    } catch (error) {
      if (this.#context.signal.aborted) return
      this.#failed = version
      this.#context.counted?.("failedReloads", 1)
      const reason = messageOf(error)
      await this.#tell(`${path} has changed but cannot be used, so what was read before is kept: ${reason}`)
    }
  }

  async #tell(text: string): Promise<void> {
    // The message may come too late for a run that ends.
    await Promise.resolve(this.#context.print([text])).catch(() => {})
  }
}
