import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useReachable } from "../../app/gateway.ts"
import { useTenant } from "../../app/tenant.ts"
import { toast } from "../../app/toasts.ts"
import { tester } from "../../texts/en.ts"
import { type Draft, isEmpty } from "./Draft.ts"
import { isOwn, type Keeper, keeper, sizeOf, small } from "./Drafts.ts"
import { endEarly, takeOver } from "./EarlyTester.ts"
import { draftOf, fragmentOf, hasDraft } from "./Fragment.ts"
import { type Outcome, test } from "./Testing.ts"

/** Milliseconds without a key press before a test starts, and before a large draft is stored. */
const quiet = { small: 150, large: 500, fragment: 400 }

/**
 * The draft, stored in the browser: a small one at each change, before anything can happen to the page; a large one
 * when typing pauses; any one when the page is hidden.
 */
const useKept = (store: Keeper, first: Draft) => {
  const latest = useRef(first)
  const [draft, setDraft] = useState(first)
  const [isKept, setKept] = useState(true)
  const change = useCallback(
    (part: Partial<Draft>) => {
      latest.current = { ...latest.current, ...part }
      if (sizeOf(latest.current) <= small) setKept(store.keep(latest.current))
      setDraft(latest.current)
    },
    [store]
  )
  useEffect(() => {
    if (sizeOf(draft) <= small) return undefined
    const timer = setTimeout(() => setKept(store.keep(draft)), quiet.large)
    return () => clearTimeout(timer)
  }, [store, draft])
  useEffect(() => {
    const keep = () => void store.keep(latest.current)
    addEventListener("pagehide", keep)
    document.addEventListener("visibilitychange", keep)
    return () => {
      keep()
      removeEventListener("pagehide", keep)
      document.removeEventListener("visibilitychange", keep)
    }
  }, [store])
  return { draft, change, isKept }
}

/** Keeps the draft in the fragment of the address, if it fits. */
const useFragment = (store: Keeper, draft: Draft): void => {
  useEffect(() => {
    // A page without changes keeps its address.
    if (draft === store.first) return undefined
    let isOver = false
    const timer = setTimeout(async () => {
      const fragment = await fragmentOf(draft)
      if (!isOver) history.replaceState({ tab: store.tab }, "", location.pathname + location.search + (fragment ?? ""))
    }, quiet.fragment)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [store, draft])
}

/** Tests the draft when typing pauses. A newer draft aborts the test of an older one. */
const useOutcome = (draft: Draft, tenant: string): Outcome | undefined => {
  const [outcome, setOutcome] = useState<Outcome>()
  const isReachable = useReachable()
  const { operator, samples, texts: programs, definitions, ecs, separator, whole } = draft
  const program = programs[operator]
  // Expectations do not affect the test.
  const tested = useMemo(
    (): Draft => ({
      ...{ operator, samples, definitions, ecs, separator, whole },
      texts: { grok: "", dissect: "", flowlet: "", [operator]: program },
      expectations: []
    }),
    [operator, samples, program, definitions, ecs, separator, whole]
  )
  useEffect(() => {
    if (isEmpty(tested)) {
      setOutcome(undefined)
      return undefined
    }
    // The test runs when the gateway is reachable again.
    if (!isReachable) return undefined
    const ending = new AbortController()
    const timer = setTimeout(
      () => void test(tested, tenant, ending.signal, setOutcome),
      sizeOf(tested) > small ? quiet.large : quiet.small
    )
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [tested, tenant, isReachable])
  return outcome
}

/** The draft of the page, with its storage and its test. */
export const useTester = () => {
  const [early] = useState(takeOver)
  const [store] = useState(() => early?.store ?? keeper())
  const { draft, change, isKept } = useKept(store, early?.draft ?? store.first)
  const tenant = useTenant()
  const open = useCallback(
    (found: Draft) => {
      store.begin()
      change(found)
    },
    [store, change]
  )
  useEffect(() => {
    endEarly()
    let known = early?.link
    const read = async () => {
      const isKnown = known === location.hash
      known = undefined
      if (!hasDraft(location.hash) || isKnown || isOwn(store)) return
      const found = await draftOf(location.hash)
      if (found === undefined) toast(tester.linkTooNew)
      else open(found)
    }
    void read()
    addEventListener("hashchange", read)
    return () => removeEventListener("hashchange", read)
  }, [open, store, early])
  useFragment(store, draft)
  const outcome = useOutcome(draft, tenant)
  return { draft, change, open, outcome, isKept, tenant, store, focus: early?.focus }
}
