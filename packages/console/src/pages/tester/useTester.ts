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

/** Milliseconds without a key before a test, and before a large draft is kept. */
const quiet = { small: 150, large: 500, fragment: 400 }

/**
 * The draft, which the browser keeps: a small one at each change, before anything else can happen to the page, a large
 * one when no key comes, and any when the page goes.
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

/** Holds the draft in the fragment of the address, as far as it fits. */
const useFragment = (store: Keeper, draft: Draft): void => {
  useEffect(() => {
    // A page that was only opened keeps its address.
    if (draft === store.first) return undefined
    let isOver = false
    const timer = setTimeout(async () => {
      const fragment = await fragmentOf(draft)
      if (!isOver) history.replaceState({ tab: store.tab }, "", fragment ?? location.pathname)
    }, quiet.fragment)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [store, draft])
}

/** Tests the draft when no key comes for a moment. A newer draft ends the test of an older one. */
const useOutcome = (draft: Draft, tenant: string): Outcome | undefined => {
  const [outcome, setOutcome] = useState<Outcome>()
  const isReachable = useReachable()
  const { operator, samples, texts: programs, definitions, ecs, separator, whole } = draft
  const program = programs[operator]
  // What is expected changes nothing of the test.
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
    // It is tested as soon as the gateway is back.
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

/** The draft of the page with what becomes of it. */
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
