import { keyOf } from "../../app/stored.ts"
import { isObject } from "./schema.ts"

/** What the text of a flowline says. */
export interface Said {
  readonly flowline: Readonly<Record<string, unknown>>
  /** Whether it is what an older text said, as this one has faults. */
  readonly isOld: boolean
}

/** The text of a flowline that somebody edits, as the browser keeps it. */
export interface Draft {
  readonly text: string
  /** The version that the text began with; 0 for a flowline that is not saved yet. */
  readonly base: number
  /** The text of that version. */
  readonly was: string
  /** What is known of the text, so that the page is drawn before it can read texts; undefined if it was not read. */
  readonly said?: Said | undefined
}

interface Kept extends Draft {
  /** The page that has written it: one that finds another's goes on in an entry of its own. */
  readonly writer: string
  /** Milliseconds since 1970. */
  readonly at: number
}

const mostKept = 30
const prefix = keyOf("flowline:")

const newId = (): string => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(36)).join("")

const saidOf = (value: unknown): Said | undefined => {
  const { flowline, isOld } = isObject(value) ? value : {}
  return isObject(flowline) && typeof isOld === "boolean" ? { flowline, isOld } : undefined
}

const readDraft = (key: string): Kept | undefined => {
  try {
    const { text, base, was, said, writer, at } = JSON.parse(localStorage.getItem(key) ?? "null") ?? {}
    const isDraft =
      typeof text === "string" &&
      Number.isInteger(base) &&
      typeof was === "string" &&
      typeof writer === "string" &&
      typeof at === "number"
    return isDraft ? { text, base, was, said: saidOf(said), writer, at } : undefined
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

/** The drafts with this beginning of their keys, the newest first. */
const found = (start: string): ReadonlyArray<readonly [string, Kept]> =>
  keysOf(start)
    .flatMap((key): ReadonlyArray<readonly [string, Kept]> => {
      const kept = readDraft(key)
      return kept === undefined ? [] : [[key, kept]]
    })
    .sort(([, one], [, other]) => other.at - one.at)

/** What a page keeps of a flowline while it is edited. */
export interface Drafts {
  /** What the page goes on with: its own draft before it was loaded again, else the newest one. */
  readonly first: Draft | undefined
  /** Keeps a draft. False if the browser has no place for it. */
  readonly keep: (draft: Draft) => boolean
  /** Forgets the draft of this page. */
  readonly forget: () => void
}

/**
 * The drafts of a flowline of a tenant. Each tab has its own, also a copy of a tab, so that two do not disturb each other.
 *
 * @param id of the flowline; empty for a new one
 */
export const draftsOf = (tenant: string, id: string): Drafts => {
  const start = `${prefix}${tenant}:${id}:`
  const writer = newId()
  const tabKey = `${start}tab`
  let own = ""
  try {
    own = sessionStorage.getItem(tabKey) ?? ""
  } catch {
    // A forbidden storage: the draft lasts as long as the page.
  }
  const mine = own === "" ? undefined : readDraft(start + own)
  const first = mine ?? found(start)[0]?.[1]
  let known = mine?.writer
  if (own === "") own = newId()

  const write = (draft: Draft): boolean => {
    const { text, base, was, said } = draft
    const kept: Kept = { text, base, was, said, writer, at: Date.now() }
    for (let keep = mostKept; ; keep = Math.floor(keep / 2)) {
      try {
        sessionStorage.setItem(tabKey, own)
        localStorage.setItem(start + own, JSON.stringify(kept))
        return true
      } catch {
        const old = found(prefix)
          .filter(([key]) => key !== start + own)
          .slice(keep)
        for (const [key] of old) localStorage.removeItem(key)
        if (old.length === 0 && keep === 0) return false
      }
    }
  }

  return {
    first,
    keep: (draft) => {
      const there = readDraft(start + own)
      // Another tab has the same entry, as the browser has copied this one.
      if (there !== undefined && there.writer !== known && there.writer !== writer) own = newId()
      known = writer
      const isKept = write(draft)
      for (const [key] of found(prefix)
        .filter(([key]) => key !== start + own)
        .slice(mostKept))
        localStorage.removeItem(key)
      return isKept
    },
    forget: () => {
      try {
        const there = readDraft(start + own)
        if (there === undefined || there.writer === writer || there.writer === known)
          localStorage.removeItem(start + own)
      } catch {
        // Nothing was kept.
      }
    }
  }
}
