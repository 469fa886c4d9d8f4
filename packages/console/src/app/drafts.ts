/** What every draft in the browser's storage has besides its content. */
export interface DraftEntry {
  /** The page that wrote it last. A page that finds another writer continues in a new entry. */
  readonly writer: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Not `crypto.randomUUID`, which exists in secure contexts only. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(36)).join("")

/** The drafts of one kind, which all tabs of the browser share. */
export interface DraftStorage<E extends DraftEntry> {
  /** Undefined if there is no valid draft at the key. */
  readonly read: (key: string) => E | undefined
  /** The keys and drafts with this beginning of their keys, the newest first. */
  readonly newest: (start: string) => ReadonlyArray<readonly [string, E]>
  /**
   * Runs a function that writes the draft at the key. While the browser has no room, it removes the oldest other drafts
   * and repeats. False if there is no room even without them.
   *
   * @param others number of other drafts to keep at most, as long as there is room
   */
  readonly write: (key: string, others: number, write: () => void) => boolean
  /** Removes all but that many of the newest other drafts. Returns whether there were any to remove. */
  readonly trim: (key: string, others: number) => boolean
}

/**
 * @param prefix of the keys of this kind
 * @param entryOf checks parsed JSON; undefined if it is no draft
 */
export const draftStorage = <E extends DraftEntry>(
  prefix: string,
  entryOf: (value: Readonly<Record<string, unknown>>) => E | undefined
): DraftStorage<E> => {
  const read = (key: string): E | undefined => {
    try {
      return entryOf(JSON.parse(localStorage.getItem(key) ?? "null") ?? {})
    } catch {
      return undefined
    }
  }

  const keysOf = (start: string): ReadonlyArray<string> => {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(start))
    } catch {
      return []
    }
  }

  const newest = (start: string) =>
    keysOf(start)
      .flatMap((key): ReadonlyArray<readonly [string, E]> => {
        const entry = read(key)
        return entry === undefined ? [] : [[key, entry]]
      })
      .sort(([, one], [, other]) => other.at - one.at)

  const trim = (key: string, others: number): boolean => {
    const old = newest(prefix)
      .filter(([other]) => other !== key)
      .slice(others)
    for (const [other] of old) localStorage.removeItem(other)
    return old.length > 0
  }

  const write = (key: string, others: number, write: () => void): boolean => {
    for (let keep = others; ; keep = Math.floor(keep / 2)) {
      try {
        write()
        return true
      } catch {
        if (!trim(key, keep) && keep === 0) return false
      }
    }
  }

  return { read, newest, write, trim }
}
