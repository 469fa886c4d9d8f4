import { form, GatewayError } from "@flow-gateway/client/light"
import { isPassing } from "../../app/failure.ts"
import { answering, gateway, isLost } from "../../app/gateway.ts"
import { type Chunk, chunks, mostLines } from "./Chunks.ts"
import type { Draft } from "./Draft.ts"

type Answer = Awaited<ReturnType<typeof gateway.operators.test>>
export type SampleResult = Answer["results"][number]

/** A fault of a pattern or program, with its position in the submitted text. */
export interface Fault {
  readonly detail: string
  readonly part?: string
  readonly source?: string
  readonly line?: number
  readonly column?: number
  readonly text?: string
}

/** The known results of a test. They arrive in parts. */
export interface Outcome {
  readonly draft: Draft
  readonly results: ReadonlyArray<SampleResult>
  readonly matched: number
  readonly hints: ReadonlyArray<string>
  readonly faults: ReadonlyArray<Fault>
  readonly state: "running" | "waiting" | "done" | "lost" | "failed"
  /** The number of tested lines, if the text has more. */
  readonly cut?: number
}

const formOf = (draft: Draft, input: string): FormData =>
  form({
    input,
    [draft.operator === "flowlet" ? "logFile" : "pattern"]: draft.texts[draft.operator],
    ...(draft.definitions === "" || draft.operator === "dissect" ? {} : { definitions: draft.definitions }),
    ...(draft.ecs && draft.operator !== "dissect" ? { ecsCompatibility: "v1" } : {}),
    ...(draft.separator === "" || draft.operator !== "dissect" ? {} : { appendSeparator: draft.separator }),
    ...(draft.whole ? { split: "none" } : {})
  })

const faultOf = (value: unknown): Fault => {
  const given = Object(value) as Readonly<Record<string, unknown>>
  const text = (name: string) => (typeof given[name] === "string" ? { [name]: given[name] } : {})
  const number = (name: string) => (typeof given[name] === "number" ? { [name]: given[name] } : {})
  const { detail } = given
  return {
    detail: typeof detail === "string" ? detail : String(value),
    ...{ ...text("part"), ...text("source"), ...text("text"), ...number("line"), ...number("column") }
  }
}

/** The faults of the draft, from the gateway's refusal. */
export const faultsOf = (error: unknown): ReadonlyArray<Fault> => {
  if (!(error instanceof GatewayError)) return [faultOf({ detail: String(error) })]
  const { issues } = error.problem
  if (Array.isArray(issues) && issues.length > 0) return issues.map(faultOf)
  return [faultOf({ ...error.problem, detail: error.message })]
}

const longestWait = 8000

const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, millis)
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true }
    )
  })

/**
 * Tests a draft part by part, and reports the results after each part. Requests that the gateway cannot answer now
 * are repeated later. A program keeps its variables from one sample to the next, so all its samples are sent in one request.
 */
export const test = async (
  draft: Draft,
  tenant: string,
  signal: AbortSignal,
  report: (outcome: Outcome) => void
): Promise<void> => {
  const results: Array<SampleResult> = []
  const hints = new Set<string>()
  let matched = 0
  const known = () => ({ draft, results, matched, hints: [...hints], faults: [] })
  const isWhole = draft.whole || draft.operator === "flowlet"
  const parts = isWhole ? [{ text: draft.samples, before: 0 }] : chunks(draft.samples)
  let end = 0

  const ask = async ({ text }: Chunk) => {
    const request = () => ({
      params: { operator: draft.operator },
      query: tenant === "" ? {} : { tenant },
      payload: formOf(draft, text)
    })
    for (let wait = 1000; ; wait = Math.min(2 * wait, longestWait)) {
      try {
        return await answering(() => gateway.operators.test(request(), { signal }))
      } catch (error) {
        if (!isPassing(error)) throw error
        // A database or patterns that cannot be reached may stay so: that is no matter of load.
        const faults = error.status === 504 && !isLost(error) ? faultsOf(error) : []
        report({ ...known(), faults, state: "waiting" })
        await pause(wait, signal)
      }
    }
  }

  try {
    for (const part of parts) {
      const answer = await ask(part)
      for (const result of answer.results) results.push({ ...result, line: result.line + part.before })
      for (const hint of answer.hints ?? []) hints.add(hint)
      matched += answer.matched
      end += part.text.length
      report({ ...known(), state: "running" })
    }
    report({ ...known(), state: "done", ...(end < draft.samples.length ? { cut: mostLines } : {}) })
  } catch (error) {
    if (signal.aborted) return
    report(isLost(error) ? { ...known(), state: "lost" } : { ...known(), faults: faultsOf(error), state: "failed" })
  }
}
