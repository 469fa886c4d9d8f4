const mib = 1024 * 1024

/** Number of bytes after which a sync starts in the background, so that little is left to sync at the end. */
export const syncEvery = 32 * mib
/** Maximum number of unsynced bytes before writing waits for a sync. */
const maxUnsynced = 256 * mib

/**
 * Measures how fast a disk syncs, and derives how many bytes may wait for a sync. The last sync of a file has to finish
 * within the deadline even on a slow disk, whereas on a fast disk nothing should wait for a single slow sync.
 */
export class SyncRate {
  readonly #deadline: number
  #bytesPerMilli = 0

  /** In milliseconds. */
  constructor(deadline: number) {
    this.#deadline = deadline
  }

  synced(bytes: number, millis: number): void {
    const rate = bytes / Math.max(1, millis)
    this.#bytesPerMilli = this.#bytesPerMilli === 0 ? rate : (this.#bytesPerMilli + rate) / 2
  }

  get unsynced(): number {
    return Math.min(maxUnsynced, Math.max(2 * syncEvery, (this.#bytesPerMilli * this.#deadline) / 4))
  }
}
