import { useEffect, useRef, useState } from "react"
import { useMounted } from "../app/mounted.ts"
import { toast } from "../app/toasts.ts"

/**
 * What the gateway tells once only, such as a new key: it is shown until its reader closes it, and one that is there later
 * waits for that.
 *
 * @param unseen tells that one could not be shown, as its page was left
 * @param how `replaces` if one makes an earlier one of its name void
 */
export const useToldOnce = <A extends { readonly name: string }>(
  unseen: (name: string) => string,
  how: "adds" | "replaces" = "adds"
) => {
  const isMounted = useMounted()
  const all = useRef<ReadonlyArray<A>>([])
  const [shown, setShown] = useState<A>()
  const set = (next: ReadonlyArray<A>) => {
    all.current = next
    setShown(next[0])
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the page is left.
  useEffect(
    () => () => {
      for (const { name } of all.current.slice(1)) toast(unseen(name))
    },
    []
  )
  return {
    shown,
    show: (told: A) => {
      if (isMounted.current) set([...all.current.filter(({ name }) => how === "adds" || name !== told.name), told])
      else toast(unseen(told.name))
    },
    close: () => set(all.current.slice(1))
  }
}
