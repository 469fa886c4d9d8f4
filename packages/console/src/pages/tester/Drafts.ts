import { type DraftEntry, draftStorage, newId } from "../../app/drafts.ts"
import { keyOf } from "../../app/stored.ts"
import { type Draft, exampleDraft, readDraft, sameJson } from "./Draft.ts"

/** A draft in the browser's storage. */
export interface Kept extends DraftEntry {
  readonly id: string
  readonly draft: Draft
}

/** UTF-16 units up to which a draft is stored at each key press. */
export const small = 64 * 1024

/** UTF-16 units of the reader's input. */
export const sizeOf = ({ samples, texts }: Draft): number =>
  samples.length + texts.grok.length + texts.dissect.length + texts.flowlet.length

const mostOthers = 29
const prefix = keyOf("draft:")
const current = keyOf("draft")
const tabs = keyOf("tab")

const drafts = draftStorage<Kept>(prefix, ({ id, writer, at, draft }) => {
  const found = readDraft(draft)
  if (typeof id !== "string" || typeof writer !== "string" || typeof at !== "number") return undefined
  return found === undefined ? undefined : { id, writer, at, draft: found }
})

/** All stored drafts, newest first. */
export const history = (): ReadonlyArray<Kept> => drafts.newest(prefix).map(([, kept]) => kept)

export const forget = (id: string): void => localStorage.removeItem(prefix + id)

/** Stores the draft of one page while it changes. */
export interface Keeper {
  /** The initial draft of the page. */
  readonly first: Draft
  /** Stores a draft. Returns false if the browser's storage has no room. */
  readonly keep: (draft: Draft) => boolean
  /** Continues in a new entry, so that the previous one stays in the history. */
  readonly begin: () => void
  readonly id: () => string
  /** An id of the tab. It survives a reload. */
  readonly tab: string
}

/** The page continues with its draft from before a reload, or with the latest draft. */
export const keeper = (): Keeper => {
  const writer = newId()
  let id = sessionStorage.getItem(current) ?? ""
  const before = drafts.read(prefix + id)
  const first = before?.draft ?? history()[0]?.draft ?? exampleDraft
  const tab = sessionStorage.getItem(tabs) ?? newId()
  sessionStorage.setItem(tabs, tab)
  let known = before?.writer
  let kept: Draft | undefined = first
  if (before === undefined) id = newId()

  const write = (draft: Draft): boolean => {
    const text = JSON.stringify({ id, writer, at: Date.now(), draft } satisfies Kept)
    return drafts.write(prefix + id, mostOthers, () => {
      localStorage.setItem(prefix + id, text)
      sessionStorage.setItem(current, id)
    })
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
      const there = drafts.read(prefix + id)
      // Another tab has the same entry: the browser has copied the session storage of a duplicated tab.
      if (there !== undefined && there.writer !== known && there.writer !== writer) id = newId()
      const isKept = write(draft)
      known = writer
      kept = isKept ? draft : undefined
      drafts.trim(prefix + id, mostOthers)
      return isKept
    }
  }
}

/**
 * Whether this tab has written the fragment of the address. In that case the stored draft is newer than the fragment.
 */
export const isOwn = ({ tab }: Keeper): boolean => Object(window.history.state).tab === tab
