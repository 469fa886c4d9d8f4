import { form, GatewayError } from "@flow-gateway/client/light"
import { useEffect, useState } from "react"
import { isPassing } from "../../app/failure.ts"
import { answering, gateway, isLost, useReachable } from "../../app/gateway.ts"
import { faultsOf, fileName, type Issue } from "./model.ts"
import type { Format } from "./Notation.ts"

/** The gateway's findings on a text. */
export interface Check {
  readonly state: "waiting" | "fine" | "faulty" | "unknown"
  readonly issues: ReadonlyArray<Issue>
  readonly warnings: ReadonlyArray<string>
  /** Why there are no findings: a problem that is not about the text. */
  readonly error?: unknown
}

const nothing: Check = { state: "waiting", issues: [], warnings: [] }

/** Milliseconds without typing before the gateway is asked. */
const quiet = 350
/** Milliseconds before it is asked again when it could not answer, while the page is visible. */
const repeats = 5000

/**
 * Has the gateway validate a text when typing pauses.
 *
 * @param text undefined when there is nothing to ask
 */
export const useCheck = (
  tenant: string,
  text: string | undefined,
  filename: string | null | undefined,
  format: Format
): Check => {
  const [found, setFound] = useState<Check>(nothing)
  const [round, setRound] = useState(0)
  const isReachable = useReachable()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round asks for the same text.
  useEffect(() => {
    if (text === undefined || tenant === "") {
      setFound(nothing)
      return undefined
    }
    // It is asked as soon as the gateway is back.
    if (!isReachable) return undefined
    const ending = new AbortController()
    const later = () => {
      timer = setTimeout(() => {
        if (document.hidden) later()
        else setRound((count) => count + 1)
      }, repeats)
    }
    let timer = setTimeout(async () => {
      setFound((before) => ({ ...before, state: "waiting" }))
      try {
        const payload = form({ file: [text, fileName(filename, format)], check: "true" })
        const { warnings } = await answering(() =>
          gateway.flowlines.tryOut({ params: { tenant }, payload }, { signal: ending.signal })
        )
        if (!ending.signal.aborted) setFound({ state: "fine", issues: [], warnings })
      } catch (error) {
        if (ending.signal.aborted || isLost(error)) return
        const issues = error instanceof GatewayError ? faultsOf(error) : undefined
        setFound(
          issues ? { state: "faulty", issues, warnings: [] } : { state: "unknown", issues: [], warnings: [], error }
        )
        if (isPassing(error)) later()
      }
    }, quiet)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [tenant, text, filename, format, isReachable, round])
  return found
}
