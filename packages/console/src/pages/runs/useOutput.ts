import { useCallback, useEffect, useRef, useState } from "react"
import { ask } from "../../app/ask.ts"
import { followEvents, type StreamEvent } from "../../app/events.ts"
import { OutputLog } from "./OutputLog.ts"

/** The known output of a run. The log changes in place; `version` tells that it has changed. */
export interface Output {
  readonly log: OutputLog
  readonly version: number
  /** Whether the gateway has sent all of it. */
  readonly isComplete: boolean
  /** Whether the gateway has omitted lines because there were too many. */
  readonly isTruncated: boolean
  /** The problem that stopped the transfer. */
  readonly error: unknown
  /** Continues after a problem. */
  readonly again: () => void
}

/** Milliseconds of a frame that parsing may take, and milliseconds between two renderings. */
const slice = 8
const drawn = 100

const read = (log: OutputLog, json: string): void => {
  const { seq, timestamp, component, text } = JSON.parse(json)
  log.add({ seq, at: Date.parse(timestamp), component, text })
}

/** Reads the existing lines. As events, a million lines would take many times as long. */
const catchUp = async (log: OutputLog, path: string, signal: AbortSignal, changed: () => void): Promise<void> => {
  const headers = { accept: "application/x-ndjson" }
  const body = await ask(path, { headers, signal }, (response) => response.body!)
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  let told = performance.now()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (rest + next.value).split("\n")
    rest = lines.pop() ?? ""
    let begun = performance.now()
    for (const line of lines) {
      read(log, line)
      if (performance.now() - begun < slice) continue
      await new Promise((done) => setTimeout(done))
      signal.throwIfAborted()
      begun = performance.now()
    }
    if (begun - told < drawn) continue
    told = begun
    changed()
  }
}

/**
 * Follows the output of a run from its first line to its end: first the existing lines, then an event stream, which
 * reconnects when the gateway was away.
 */
export const useOutput = (tenant: string, id: string): Output => {
  const log = useRef({ id: "", log: new OutputLog() })
  if (log.current.id !== `${tenant}/${id}`) log.current = { id: `${tenant}/${id}`, log: new OutputLog() }
  const own = log.current.log
  const [state, setState] = useState({ version: 0, isComplete: false, isTruncated: false, error: undefined as unknown })
  const [round, setRound] = useState(0)
  const again = useCallback(() => setRound((count) => count + 1), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round goes on after a problem.
  useEffect(() => {
    if (tenant === "") return
    const path = `v1/${encodeURIComponent(tenant)}/flowline/executions/${encodeURIComponent(id)}/output`
    const ending = new AbortController()
    const { signal } = ending
    const change = (part: Partial<typeof state> = {}) => {
      if (!signal.aborted) setState((before) => ({ ...before, ...part, version: before.version + 1 }))
    }
    let leave = () => {}
    const take = (events: ReadonlyArray<StreamEvent>) => {
      let end: { readonly truncated?: boolean } | undefined
      for (const event of events) {
        if (event.name === "end") end = JSON.parse(event.data)
        else read(own, event.data)
      }
      if (end !== undefined) leave()
      change(end === undefined ? {} : { isComplete: true, isTruncated: end.truncated === true })
    }
    const follow = async () => {
      // If this fails, the event stream continues after the last line, or reports the problem.
      await catchUp(own, `${path}?from=${own.last}`, signal, change).catch(() => {})
      if (!signal.aborted) leave = followEvents(`${path}?from=${own.last}`, ["end"], take, (error) => change({ error }))
    }
    change({ isComplete: false, isTruncated: false, error: undefined })
    void follow()
    return () => {
      ending.abort()
      leave()
    }
  }, [tenant, id, own, round])

  return { log: own, ...state, again }
}
