import { type FSWatcher, watch } from "node:fs"

/** Folders that are watched; the others are only looked at from time to time. */
const maxWatched = 256
/** Changes come in swarms: the first one of them waits so long for the others, in milliseconds. */
const gatherMillis = 20

/** Tells when something in one of the folders has changed. Where the system cannot tell, only the time does. */
export class Wake {
  readonly #signal: AbortSignal
  readonly #watchers = new Map<string, FSWatcher>()
  #changed = false
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener("abort", this.#rouse, { once: true })
  }

  readonly #rouse = (): void => {
    this.#changed = true
    this.#wake?.()
  }

  /** Watches these folders, and only these, from now on. */
  watch(folders: ReadonlySet<string>): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    for (const folder of folders) {
      if (this.#watchers.size >= maxWatched) return
      if (this.#watchers.has(folder)) continue
      try {
        const watcher = watch(folder, { persistent: false }, this.#rouse)
        watcher.on("error", () => this.#watchers.delete(folder))
        this.#watchers.set(folder, watcher)
        // Something may have come just before.
        this.#changed = true
      } catch {
        // No watches are left, or the file system has none: the time has to do.
      }
    }
  }

  /** Resolves soon after a change, after `millis`, or with the signal; tells whether there was a change. */
  async wait(millis: number): Promise<boolean> {
    if (!this.#changed && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, millis)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#wake = undefined
    }
    const changed = this.#changed
    if (changed && !this.#signal.aborted) await new Promise((resolve) => setTimeout(resolve, gatherMillis))
    this.#changed = false
    return changed
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#rouse)
    this.watch(new Set())
  }
}
