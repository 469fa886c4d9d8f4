import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { type Draft, draftsOf, type Said } from "./Drafts.ts"
import type { Current } from "./model.ts"
import type { Known } from "./useReading.ts"

type Version = Pick<Current, "version" | "text">

/** The edited text, and the version on which it is based. */
export interface Editing extends Draft {
  readonly isDirty: boolean
  /** The draft with which the page began, if its content is known. */
  readonly kept: Known | undefined
  /** Whether the browser stores what is typed. */
  readonly isKept: boolean
  readonly setText: (text: string) => void
  /** Sets the content of the text, if it is still this one; undefined if it has faults. */
  readonly learn: (of: string, flowline: Readonly<Record<string, unknown>> | undefined) => void
  /** Continues with a version: discards what was typed. */
  readonly take: (version: Version) => void
  /** Keeps what was typed, but bases it on a newer version. */
  readonly rebase: (version: Version) => void
  /** The same as `rebase` for a new flowline whose page was left: what was typed is a draft of the flowline it has become. */
  readonly moveTo: (id: string, version: Version) => void
}

/** UTF-16 units up to which a draft is stored at each key; a larger one is stored when typing pauses. */
const small = 64 * 1024
const quiet = 500

/**
 * The text of a flowline while it is edited. The browser stores it until it is saved, separately for each tab.
 *
 * @param current the gateway's version; undefined until it is known
 * @param begin the text of a new flowline
 */
export const useEditing = (tenant: string, id: string, current: Current | undefined, begin: string): Editing => {
  const drafts = useMemo(() => draftsOf(tenant, id), [tenant, id])
  const [first] = useState(drafts.first)
  const kept = useMemo(() => first?.said && { text: first.text, ...first.said }, [first])
  const [draft, setDraft] = useState<Draft | undefined>(first)
  const [isKept, setKept] = useState(true)
  const made: Draft = draft ?? {
    text: current?.text ?? begin,
    base: current?.version ?? 0,
    was: current?.text ?? begin
  }
  const latest = useRef(made)
  latest.current = made
  const said = useRef<Said>(first?.said)
  /** The content of the last text without faults. */
  const whole = useRef(first?.said?.flowline)

  const keep = useCallback(() => {
    const { text, was } = latest.current
    if (text === was) drafts.forget()
    else setKept(drafts.keep({ ...latest.current, said: text.length <= small ? said.current : undefined }))
  }, [drafts])

  const setText = useCallback(
    (text: string) => {
      const next = { ...latest.current, text }
      latest.current = next
      // Not known before it is read: a page that begins with it reads it.
      said.current = undefined
      setDraft(next)
      if (text.length <= small) keep()
    },
    [keep]
  )
  const set = useCallback(
    (next: Draft) => {
      latest.current = next
      setDraft(next)
      keep()
    },
    [keep]
  )
  const learn = useCallback((of: string, flowline: Readonly<Record<string, unknown>> | undefined) => {
    if (of !== latest.current.text) return
    whole.current = flowline ?? whole.current
    // It is kept with the next key, or when the page is left.
    said.current = whole.current && { flowline: whole.current, isOld: flowline === undefined }
  }, [])
  useEffect(() => {
    if (draft === undefined || draft.text.length <= small) return undefined
    const timer = setTimeout(keep, quiet)
    return () => clearTimeout(timer)
  }, [draft, keep])
  useEffect(() => {
    addEventListener("pagehide", keep)
    return () => {
      removeEventListener("pagehide", keep)
      keep()
    }
  }, [keep])

  // A new flowline has got its id: what was typed meanwhile is a draft of that, and no longer one of a new flowline.
  const before = useRef(drafts)
  useEffect(() => {
    if (before.current === drafts) return
    before.current.forget()
    before.current = drafts
    keep()
  }, [drafts, keep])

  return {
    ...made,
    isDirty: made.text !== made.was,
    kept,
    isKept,
    setText,
    learn,
    take: ({ version, text }) => set({ text, base: version, was: text }),
    rebase: ({ version, text: was }) => set({ ...latest.current, base: version, was }),
    moveTo: (to, { version, text: was }) => {
      drafts.forget()
      if (latest.current.text !== was)
        draftsOf(tenant, to).keep({ ...latest.current, base: version, was, said: undefined })
    }
  }
}
