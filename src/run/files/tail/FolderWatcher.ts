import { type FSWatcher, watch } from "node:fs"

/** Maximum number of watched folders; changes in others are found by polling. */
const maxWatched = 256
/** Changes come in bursts: milliseconds to wait after the first one for others. */
const gatherMillis = 20

/** Reports changes in folders. Where the system cannot watch, only the polling interval applies. */
export class FolderWatcher {
  readonly #signal: AbortSignal
  readonly #watchers = new Map<string, FSWatcher>()
  #changed = false
  #resolve: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener("abort", this.#rouse, { once: true })
  }

  readonly #rouse = (): void => {
    this.#changed = true
    this.#resolve?.()
  }

  /** Replaces the set of watched folders. */
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
        // A change may have come just before the watch.
        this.#changed = true
      } catch {
        // The system has no watches left, or the file system does not support them: polling suffices.
      }
    }
  }

  /**
   * Resolves soon after a change, after `millis`, or when the signal is aborted. Returns whether there was a change.
   */
  async wait(millis: number): Promise<boolean> {
    if (!this.#changed && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, millis)
        this.#resolve = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#resolve = undefined
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
