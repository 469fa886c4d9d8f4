const mib = 1024 * 1024

/** Bytes after which a sync is begun beside the writing, so that there is little left to sync at the end. */
export const syncEvery = 32 * mib
/** The most bytes that wait for a sync before the writing does. */
const maxUnsynced = 256 * mib

/**
 * How fast a disk syncs, as its last syncs were, and so how much may wait for one: the last sync of a file has to end
 * within the deadline, on a slow disk as well, while on a fast one nobody is to wait for a sync that takes longer once.
 */
export class Pace {
  readonly #deadline: number
  #bytesPerMilli = 0

  /** Milliseconds. */
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
