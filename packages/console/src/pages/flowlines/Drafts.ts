import { type DraftEntry, draftStorage, newId } from "../../app/drafts.ts"
import { keyOf } from "../../app/stored.ts"
import { isObject } from "./schema.ts"

/** The parsed content of a flowline's text. */
export interface Said {
  readonly flowline: Readonly<Record<string, unknown>>
  /** Whether it is the content of an older text, because this one has faults. */
  readonly isOld: boolean
}

/** The edited text of a flowline, as the browser stores it. */
export interface Draft {
  readonly text: string
  /** The version on which the text is based; 0 for a flowline that is not saved yet. */
  readonly base: number
  /** The text of that version. */
  readonly was: string
  /**
   * The content of the text, so that the page can be drawn before the parser is loaded; undefined if it was not parsed.
   */
  readonly said?: Said | undefined
}

interface Kept extends Draft, DraftEntry {}

const mostOthers = 30
const prefix = keyOf("flowline:")

const saidOf = (value: unknown): Said | undefined => {
  const { flowline, isOld } = isObject(value) ? value : {}
  return isObject(flowline) && typeof isOld === "boolean" ? { flowline, isOld } : undefined
}

const drafts = draftStorage<Kept>(prefix, ({ text, base, was, said, writer, at }) =>
  typeof text === "string" &&
  typeof base === "number" &&
  Number.isInteger(base) &&
  typeof was === "string" &&
  typeof writer === "string" &&
  typeof at === "number"
    ? { text, base, was, said: saidOf(said), writer, at }
    : undefined
)

/** The stored drafts of a flowline, as one page uses them. */
export interface Drafts {
  /** The draft to continue with: the page's own one from before a reload, else the newest one. */
  readonly first: Draft | undefined
  /** Stores a draft. False if the browser has no space for it. */
  readonly keep: (draft: Draft) => boolean
  /** Removes the draft of this page. */
  readonly forget: () => void
}

/**
 * The drafts of a tenant's flowline. Each tab, also a duplicated one, has its own, so that tabs do not overwrite each
 * other.
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
    // Without storage the draft lasts as long as the page.
  }
  const mine = own === "" ? undefined : drafts.read(start + own)
  const first = mine ?? drafts.newest(start)[0]?.[1]
  let known = mine?.writer
  if (own === "") own = newId()

  const write = ({ text, base, was, said }: Draft): boolean => {
    const kept: Kept = { text, base, was, said, writer, at: Date.now() }
    return drafts.write(start + own, mostOthers, () => {
      sessionStorage.setItem(tabKey, own)
      localStorage.setItem(start + own, JSON.stringify(kept))
    })
  }

  return {
    first,
    keep: (draft) => {
      const there = drafts.read(start + own)
      // Another tab uses the same entry, because the browser duplicated this tab.
      if (there !== undefined && there.writer !== known && there.writer !== writer) own = newId()
      known = writer
      const isKept = write(draft)
      drafts.trim(start + own, mostOthers)
      return isKept
    },
    forget: () => {
      try {
        const there = drafts.read(start + own)
        if (there === undefined || there.writer === writer || there.writer === known)
          localStorage.removeItem(start + own)
      } catch {
        // Nothing was kept.
      }
    }
  }
}
