import { keyOf } from "../../app/stored.ts"
import { type Draft, exampleDraft, readDraft, sameJson } from "./Draft.ts"

/** A draft as the browser keeps it. */
export interface Kept {
  readonly id: string
  /** Who has written it last: a page that finds another writer goes on in an entry of its own. */
  readonly writer: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly draft: Draft
}

/** UTF-16 units of a draft that is kept at each key. */
export const small = 64 * 1024

/** UTF-16 units that the reader has typed. */
export const sizeOf = ({ samples, texts }: Draft): number =>
  samples.length + texts.grok.length + texts.dissect.length + texts.flowlet.length

const mostKept = 30
const prefix = keyOf("draft:")
const current = keyOf("draft")
const tabs = keyOf("tab")

const read = (key: string): Kept | undefined => {
  try {
    const { id, writer, at, draft } = JSON.parse(localStorage.getItem(key) ?? "null") ?? {}
    const found = readDraft(draft)
    if (typeof id !== "string" || typeof writer !== "string" || typeof at !== "number") return undefined
    return found === undefined ? undefined : { id, writer, at, draft: found }
  } catch {
    return undefined
  }
}

/** Everything that is kept, the newest first. */
export const history = (): ReadonlyArray<Kept> => {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .flatMap((key) => read(key) ?? [])
      .sort((one, other) => other.at - one.at)
  } catch {
    return []
  }
}

export const forget = (id: string): void => localStorage.removeItem(prefix + id)

/** Removes the oldest entries but this one. Says whether there were any. */
const forgetOldest = (own: string, keep: number): boolean => {
  const old = history()
    .filter(({ id }) => id !== own)
    .slice(Math.max(0, keep))
  for (const { id } of old) forget(id)
  return old.length > 0
}

const newId = (): string => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(36)).join("")

/** What one page keeps as it is changed. */
export interface Keeper {
  /** What the page begins with. */
  readonly first: Draft
  /** Keeps a draft. False if the browser has no place for it. */
  readonly keep: (draft: Draft) => boolean
  /** Goes on in a new entry, so that what was there before stays in the history. */
  readonly begin: () => void
  readonly id: () => string
  /** An id of the tab, which stays the same when its page is loaded again. */
  readonly tab: string
}

/** The page goes on with what it had before it was loaded again, else with what was changed last. */
export const keeper = (): Keeper => {
  const writer = newId()
  let id = sessionStorage.getItem(current) ?? ""
  const before = read(prefix + id)
  const first = before?.draft ?? history()[0]?.draft ?? exampleDraft
  const tab = sessionStorage.getItem(tabs) ?? newId()
  sessionStorage.setItem(tabs, tab)
  let known = before?.writer
  let kept: Draft | undefined = first
  if (before === undefined) id = newId()

  const write = (draft: Draft): boolean => {
    const text = JSON.stringify({ id, writer, at: Date.now(), draft } satisfies Kept)
    for (let keep = mostKept - 1; ; keep = Math.floor(keep / 2)) {
      try {
        localStorage.setItem(prefix + id, text)
        sessionStorage.setItem(current, id)
        return true
      } catch {
        if (!forgetOldest(id, keep) && keep === 0) return false
      }
    }
  }

  return {
    first,
    id: () => id,
    tab,
    begin: () => {
      id = newId()
      kept = undefined
    },
    keep: (draft) => {
      if (kept !== undefined && sameJson(kept, draft)) return true
      const there = read(prefix + id)
      // Another tab has the same entry, as the browser has copied this one.
      if (there !== undefined && there.writer !== known && there.writer !== writer) id = newId()
      const isKept = write(draft)
      known = writer
      kept = isKept ? draft : undefined
      forgetOldest(id, mostKept - 1)
      return isKept
    }
  }
}

/** Whether this tab has written the fragment of the address: what the browser keeps is newer than it then. */
export const isOwn = ({ tab }: Keeper): boolean => Object(window.history.state).tab === tab
