import { useEffect, useRef, useState } from "react"
import { Numbers, type OutputLog } from "./OutputLog.ts"

/** The matching lines found so far. */
export interface Found {
  readonly matches: Numbers
  /** Number of lines searched so far. */
  readonly looked: number
}

/** Milliseconds of a frame that a search may take. */
const slice = 6

/** Searches the output for a text, a little in each frame, including lines that arrive later. */
export const useSearch = (log: OutputLog, version: number, text: string): Found | undefined => {
  const wanted = text.toLowerCase()
  const state = useRef({ log, wanted, matches: new Numbers(), looked: 0 })
  const [, setRound] = useState(0)
  if (state.current.wanted !== wanted || state.current.log !== log) {
    state.current = { log, wanted, matches: new Numbers(), looked: 0 }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version has more lines.
  useEffect(() => {
    const { current } = state
    if (wanted === "") return undefined
    let frame: ReturnType<typeof setTimeout> | undefined
    const next = () => {
      const start = performance.now()
      while (current.looked < log.length && performance.now() - start < slice) {
        current.looked = log.search(wanted, current.looked, (index) => current.matches.add(index))
      }
      setRound((round) => round + 1)
      if (current.looked < log.length) frame = setTimeout(next)
    }
    if (current.looked < log.length) next()
    return () => clearTimeout(frame)
  }, [log, version, wanted])

  return wanted === "" ? undefined : state.current
}
